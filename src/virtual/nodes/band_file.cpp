#include "virtual/nodes/band_file.hpp"

#include <fcntl.h>

namespace armature::nodes {

void give_back(int file, const Stretch& pages) {
  (void)fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(pages.begin),
                  static_cast<off_t>(pages.end - pages.begin));
}

}  // namespace armature::nodes

#include "bench/resident.hpp"

#include <fstream>
#include <string>
#include <string_view>

namespace armature::bench {

std::size_t resident_bytes() {
  std::ifstream rollup("/proc/self/smaps_rollup");
  std::size_t kibibytes = 0;
  for (std::string line; std::getline(rollup, line);)
    for (const std::string_view field : {"Pss_Anon:", "Pss_Shmem:"})
      if (line.starts_with(field)) kibibytes += std::stoul(line.substr(field.size()));
  return kibibytes * 1024;
}

}  // namespace armature::bench

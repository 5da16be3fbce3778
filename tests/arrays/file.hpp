#pragma once

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>

#include "armature/collectives.hpp"
#include "conformance.hpp"

namespace arrays {

using conformance::me;
using conformance::world;

/// A file that all ranks know, and that goes with the object.
class SharedFile {
 public:
  SharedFile() {
    std::array<char, 64> name{};
    if (me() == 0) {
      std::snprintf(name.data(), name.size(), "/tmp/armature-npy-XXXXXX");
      close(mkstemp(name.data()));
    }
    broadcast(world(), std::span<char>(name), 0);
    path_ = name.data();
  }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  ~SharedFile() {
    if (me() == 0) unlink(path_.c_str());
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// One rank writes it, all wait.
  void hold(const std::string& bytes) const {
    if (me() == 0) std::ofstream(path_, std::ios::binary) << bytes;
    world().barrier();
  }

 private:
  std::string path_;
};

}  // namespace arrays

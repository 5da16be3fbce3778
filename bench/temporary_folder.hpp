#pragma once

#include <string>

namespace armature::bench {

/// A folder that is there as long as this. It lies in the current folder, as it is a disk that is
/// measured.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace armature::bench

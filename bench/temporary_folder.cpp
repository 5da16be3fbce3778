#include "bench/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace armature::bench {

TemporaryFolder::TemporaryFolder()
    : path_((std::filesystem::current_path() / "armature-bench-XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(), "bench: cannot make " + path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace armature::bench

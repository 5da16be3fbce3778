#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace armature::command {

/// Names of functions in files of programs and libraries, by their tables of symbols. Each file is
/// read once.
class FunctionNames {
 public:
  /// The name of the function that begins so many bytes behind where the file is loaded, demangled,
  /// with its parameters; empty where the table is stripped, or has none there.
  std::string at(const std::string& file, std::uint64_t offset);

 private:
  std::map<std::string, std::map<std::uint64_t, std::string>> of_files_;  // mangled
};

}  // namespace armature::command

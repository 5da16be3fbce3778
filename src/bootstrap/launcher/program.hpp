#pragma once

#include <string>

namespace armature::bootstrap {

/// The file a command's first word stands for, found once for all ranks; or why there is none.
struct Program {
  std::string path;
  int status = 0;       // 126 or 127 when it cannot be run
  std::string problem;  // a sentence, and what to do

  explicit operator bool() const { return status == 0; }
};

/// Searches PATH as a shell does when the word has no slash.
Program find_program(const std::string& word);

/// What an exec that failed with that errno means.
Program cannot_run(const std::string& path, int error);

}  // namespace armature::bootstrap

#pragma once

#include <string>
#include <vector>

namespace armature::command {

/// The file a command's first word stands for, found once for all ranks; or why there is none.
struct Program {
  std::string path;
  int status = 0;       // 126 or 127 when it cannot be run
  std::string problem;  // a sentence, and what to do

  explicit operator bool() const { return status == 0; }
};

/// Searches PATH as a shell does when the word has no slash.
Program find_program(const std::string& word);

/// Whether a word of the command is valgrind, or a word within a word, as in a shell's command, or
/// a word of the script that is its program.
bool runs_valgrind(const std::vector<std::string>& command);

/// Explains an exec that failed with that errno.
Program cannot_run(const std::string& path, int error);

}  // namespace armature::command

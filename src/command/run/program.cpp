#include "command/run/program.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "command/run/launch_options.hpp"

namespace armature::command {
namespace {

enum class Finding { program, nothing, folder, not_executable };

Finding look(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0)
    return errno == EACCES ? Finding::not_executable : Finding::nothing;
  if (S_ISDIR(status.st_mode)) return Finding::folder;
  return access(path.c_str(), X_OK) == 0 ? Finding::program : Finding::not_executable;
}

Program judged(const std::string& path, Finding found) {
  switch (found) {
    case Finding::program:
      return {path, 0, ""};
    case Finding::nothing:
      return {path, status_not_found, fmt::format("there is no file {}", path)};
    case Finding::folder:
      return {path, status_not_executable, fmt::format("{} is a folder, not a program", path)};
    case Finding::not_executable:
      break;
  }
  return {path, status_not_executable,
          fmt::format("{} may not be executed by this user (chmod +x {} where it is a program)",
                      path, path)};
}

bool is_valgrind(std::string_view word) { return word.substr(word.rfind('/') + 1) == "valgrind"; }

/// Whether a line of a shell has it, with something behind it that it may run. Not in a comment.
bool line_names_valgrind(std::string_view words) {
  words = words.substr(0, words.find('#'));
  while (!words.empty()) {
    const std::size_t end = std::min(words.find_first_of(" \t\"'`()$;&|"), words.size());
    const std::string_view rest = words.substr(end);
    if (is_valgrind(words.substr(0, end)) &&
        rest.find_first_not_of(" \t\"'`()$;&|") != std::string_view::npos)
      return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

bool names_valgrind(std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    if (line_names_valgrind(lines.substr(0, end))) return true;
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return false;
}

/// Reads the beginning of a script; empty where it is none.
std::string text_of_script(const std::string& path) {
  constexpr std::size_t bytes_max = 64 << 10;
  std::string text(bytes_max, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text.starts_with("#!") ? text : std::string();
}

}  // namespace

Program find_program(const std::string& word) {
  if (word.find('/') != std::string::npos) return judged(word, look(word));

  const char* variable = std::getenv("PATH");
  std::string rest = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
  Program second_best;
  for (std::size_t begin = 0; begin <= rest.size();) {
    const std::size_t end = std::min(rest.find(':', begin), rest.size());
    const std::string folder = end == begin ? "." : rest.substr(begin, end - begin);
    const std::string path = folder + '/' + word;
    const Finding found = look(path);
    if (found == Finding::program) return {path, 0, ""};
    if (found == Finding::not_executable) second_best = judged(path, found);
    begin = end + 1;
  }
  if (second_best.status != 0) return second_best;
  std::string problem = fmt::format("there is no program {} in any folder of PATH", word);
  if (look(word) == Finding::program) problem += fmt::format("; did you mean ./{}?", word);
  return {word, status_not_found, problem};
}

bool runs_valgrind(const std::vector<std::string>& command) {
  // The last word is no program that runs another one, unless it is a line of a shell.
  return std::any_of(command.begin(), command.end() - 1, is_valgrind) ||
         std::any_of(command.begin(), command.end(), names_valgrind) ||
         names_valgrind(text_of_script(find_program(command.front()).path));
}

Program cannot_run(const std::string& path, int error) {
  switch (error) {
    case ENOENT:
      return {
          path, status_not_found,
          fmt::format(
              "{} is there, but not the interpreter or loader that it names (its first line, or "
              "`file {}`)",
              path, path)};
    case ENOEXEC:
      return {path, status_not_executable,
              fmt::format(
                  "{} is not a program of this machine; where it is a script, its first line must "
                  "name the interpreter, as in #!/bin/sh",
                  path)};
    case ETXTBSY:
      return {path, status_not_executable, fmt::format("{} is being written to", path)};
    default:
      return {path, status_not_executable,
              fmt::format("{} cannot be run: {}", path, base::system_text(error))};
  }
}

}  // namespace armature::command

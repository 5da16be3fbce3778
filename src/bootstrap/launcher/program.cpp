#include "bootstrap/launcher/program.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "bootstrap/launcher/launch.hpp"

namespace armature::bootstrap {
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

}  // namespace armature::bootstrap

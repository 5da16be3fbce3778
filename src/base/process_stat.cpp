#include "base/process_stat.hpp"

#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>

namespace armature::base {

std::optional<ProcessStat> process_stat(pid_t pid, pid_t tid) {
  if (pid <= 0) return std::nullopt;
  std::ifstream file(tid > 0 ? fmt::format("/proc/{}/task/{}/stat", pid, tid)
                             : fmt::format("/proc/{}/stat", pid));
  std::stringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  // The second field is a name, which may hold spaces, line ends and parentheses.
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  ProcessStat stat;
  constexpr int parent_field = 4, start_field = 22;  // counted as proc(5) does
  std::string between;
  fields >> stat.state >> stat.parent;
  for (int i = parent_field + 1; i < start_field; ++i) fields >> between;
  if (!(fields >> stat.started)) return std::nullopt;
  return stat;
}

bool writes_core_file(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/status", pid));
  for (std::string word; file >> word;)
    if (word == "CoreDumping:") return file >> word && word == "1";
  return false;
}

}  // namespace armature::base

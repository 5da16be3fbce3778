#include "bootstrap/launcher/descendants.hpp"

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>
#include <string>

// The parents of all processes, from /proc/*/stat: /proc/PID/task/*/children would be shorter but
// is not in every kernel.

namespace armature::bootstrap {
namespace {

pid_t parent_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const auto after_name = line.rfind(") ");  // then a letter and the parent
  if (after_name == std::string::npos || line.size() < after_name + 5) return -1;
  return static_cast<pid_t>(std::strtol(line.c_str() + after_name + 4, nullptr, 10));
}

std::multimap<pid_t, pid_t> children_by_parent() {
  std::multimap<pid_t, pid_t> children;
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(opendir("/proc"), &closedir);
  if (!proc) return children;
  while (const dirent* entry = readdir(proc.get())) {
    const auto pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    if (pid > 0) children.emplace(parent_of(pid), pid);
  }
  return children;
}

/// Reaps what has ended; true when no child is left at all.
bool reap() {
  for (;;) {
    const pid_t pid = waitpid(-1, nullptr, WNOHANG);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) return pid < 0;
  }
}

}  // namespace

std::vector<pid_t> descendants() {
  const auto children = children_by_parent();
  std::vector<pid_t> result = {getpid()};
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto [begin, end] = children.equal_range(result[i]);
    for (auto child = begin; child != end; ++child) result.push_back(child->second);
  }
  result.erase(result.begin());
  return result;
}

int kill_descendants() {
  constexpr int attempts_max = 500;
  constexpr timespec pause{0, 2'000'000};
  int killed = 0;
  for (int attempt = 0; attempt < attempts_max && !reap(); ++attempt) {
    const auto all = descendants();
    for (pid_t pid : all) kill(pid, SIGKILL);
    if (attempt == 0) killed = static_cast<int>(all.size());
    nanosleep(&pause, nullptr);
  }
  return killed;
}

}  // namespace armature::bootstrap

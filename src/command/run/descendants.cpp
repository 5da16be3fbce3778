#include "command/run/descendants.hpp"

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>

#include "base/process_stat.hpp"

// The parents of all processes, from /proc/*/stat: /proc/PID/task/*/children would be shorter but
// is not in every kernel.

namespace armature::command {
namespace {

using Identity = std::pair<pid_t, std::uint64_t>;
using Children = std::multimap<pid_t, Identity>;

Children children_by_parent() {
  Children children;
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(opendir("/proc"), &closedir);
  if (!proc) return children;
  while (const dirent* entry = readdir(proc.get())) {
    const auto pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    if (const auto stat = base::process_stat(pid))
      children.emplace(stat->parent, Identity(pid, stat->started));
  }
  return children;
}

/// Living or to be waited for.
bool has_children() {
  siginfo_t ignored{};
  return waitid(P_ALL, 0, &ignored, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/// Lists this process's descendants, except `others` and what is below these.
std::vector<Identity> descendants_without(const std::vector<Identity>& others) {
  if (!has_children()) return {};  // mostly: nothing need be read
  const Children children = children_by_parent();
  std::vector<Identity> result = {{getpid(), 0}};
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto [begin, end] = children.equal_range(result[i].first);
    for (auto child = begin; child != end; ++child)
      if (!std::ranges::binary_search(others, child->second)) result.push_back(child->second);
  }
  result.erase(result.begin());
  return result;
}

void reap_those_that_have_ended() {
  for (;;) {
    const pid_t pid = waitpid(-1, nullptr, WNOHANG);
    if (pid <= 0 && !(pid < 0 && errno == EINTR)) return;
  }
}

}  // namespace

Descendants::Descendants() : others_(descendants_without({})) { std::ranges::sort(others_); }

std::vector<pid_t> Descendants::of_the_job() const {
  std::vector<pid_t> pids;
  for (const auto& [pid, started] : descendants_without(others_)) pids.push_back(pid);
  return pids;
}

int Descendants::kill_all() const {
  constexpr int attempts_max = 500;
  constexpr timespec pause{0, 2'000'000};
  int killed = 0;
  for (int attempt = 0; attempt < attempts_max; ++attempt) {
    reap_those_that_have_ended();
    const std::vector<pid_t> all = of_the_job();
    if (all.empty()) break;
    for (const pid_t pid : all) kill(pid, SIGKILL);
    if (attempt == 0) killed = static_cast<int>(all.size());
    nanosleep(&pause, nullptr);
  }
  return killed;
}

}  // namespace armature::command

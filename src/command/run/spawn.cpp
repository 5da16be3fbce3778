#include "command/run/spawn.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string_view>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "bootstrap/address_layout.hpp"
#include "bootstrap/environment.hpp"
#include "command/executable/has_library.hpp"

extern "C" char** environ;  // NOLINT(readability-redundant-declaration)

namespace armature::command {
namespace {

bool is_ours(std::string_view assignment) {
  return std::any_of(std::begin(bootstrap::our_variables), std::end(bootstrap::our_variables),
                     [&](std::string_view name) {
                       return assignment.size() > name.size() &&
                              assignment.substr(0, name.size()) == name &&
                              assignment[name.size()] == '=';
                     });
}

bool consecutive(const std::vector<base::FileDescriptor>& files) {
  for (std::size_t i = 1; i < files.size(); ++i)
    if (files[i].get() != files[0].get() + static_cast<int>(i)) return false;
  return true;
}

/// A request while the program still starts would end it, and the job. The library hears of it
/// before main, and hands ranks over once it can (world/hand_over_ranks.cpp).
void hold_back_requests_to_end() {
  sigset_t request;
  sigemptyset(&request);
  sigaddset(&request, SIGTERM);
  sigprocmask(SIG_BLOCK, &request, nullptr);
}

}  // namespace

void line_up(std::vector<base::FileDescriptor>& segments) {
  int first = segments.front().get();
  while (!consecutive(segments)) {
    // Duplicates from `first` on; a number in use on the way means to start again behind it.
    std::vector<base::FileDescriptor> line;
    for (const auto& segment : segments) {
      const int wanted = first + static_cast<int>(line.size());
      line.emplace_back(fcntl(segment.get(), F_DUPFD_CLOEXEC, wanted));
      if (!line.back()) base::fail(Errc::start, "too many open files (ulimit -n)");
      if (line.back().get() != wanted) break;
    }
    first = line.back().get();
    if (line.size() == segments.size() && consecutive(line)) segments = std::move(line);
  }
}

std::string Hosted::numbers() const {
  if (count == 0) return fmt::format("process {}", joins_as);
  return count == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, first + count - 1);
}

/// All that the child needs between vfork and exec, where it may not allocate.
struct Spawner::Child {
  bool reads_input;
  const space::JobMemory& memory;
  Output output;
  const cpu_set_t* mask;
  std::size_t mask_bytes;
  int network;
};

Spawner::Spawner(Job job)
    : job_(std::move(job)),
      // Programs without the library would never hear of it.
      holds_requests_(job_.same_layout && !job_.signals.was_blocked(SIGTERM) &&
                      has_library(job_.path)),
      null_(open("/dev/null", O_RDONLY | O_CLOEXEC)),
      launcher_(getpid()) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    base::fail(Errc::start, fmt::format("no pipe: {}", base::system_text(errno)));
  life_ = base::FileDescriptor(ends[0]);
  ours_of_life_ = base::FileDescriptor(ends[1]);
  for (const auto& word : job_.command) arguments_.push_back(const_cast<char*>(word.c_str()));
  arguments_.push_back(nullptr);
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!is_ours(*variable)) environment_.push_back(*variable);
  environment_.resize(environment_.size() + std::size(bootstrap::our_variables) + 1, nullptr);
}

/// The threads that any of these ranks is bound to; empty where they are not.
std::vector<unsigned long> Spawner::mask_of(Hosted ranks) const {
  std::vector<unsigned long> mask;
  if (job_.binding.empty()) return mask;
  for (int rank = ranks.first; rank < ranks.first + ranks.count; ++rank) {
    for (const int thread : job_.binding[static_cast<std::size_t>(rank)]) {
      const std::size_t word = static_cast<std::size_t>(thread) / 64;
      mask.resize(std::max(mask.size(), word + 1));
      mask[word] |= 1UL << (thread % 64);
    }
  }
  return mask;
}

Spawner::Started Spawner::start(Hosted ranks, int node, Output output) {
  const space::JobMemory& memory = job_.memory[static_cast<std::size_t>(node)];
  // Above the stacks of processes that are to be alike, all must be equally long.
  const int digits = job_.same_layout ? 6 : 1;
  variables_ = {fmt::format("{}={:0{}}", bootstrap::rank_variable, ranks.first, digits),
                fmt::format("{}={:0{}}", bootstrap::hosted_variable, ranks.count, digits),
                fmt::format("{}={}", bootstrap::control_variable, memory.control.get()),
                fmt::format("{}={}", bootstrap::segments_variable, memory.segments.front().get()),
                fmt::format("{}={}", bootstrap::launcher_variable, life_.get())};
  if (ranks.joins_as >= 0)
    variables_.push_back(fmt::format("{}={:06}", bootstrap::process_variable, ranks.joins_as));
  if (holds_requests_)
    variables_.push_back(fmt::format("{}={:010}", bootstrap::held_by_variable, launcher_));
  if (job_.store >= 0)
    variables_.push_back(fmt::format("{}={}", bootstrap::store_variable, job_.store));
  if (job_.same_layout) add_padding();
  const auto ours = environment_.end() - std::ssize(bootstrap::our_variables) - 1;
  std::fill(ours, environment_.end(), nullptr);
  std::transform(variables_.begin(), variables_.end(), ours,
                 [](std::string& variable) { return variable.data(); });

  const std::vector<unsigned long> mask = mask_of(ranks);
  const Child child{ranks.first == 0 && ranks.count > 0,
                    memory,
                    output,
                    reinterpret_cast<const cpu_set_t*>(mask.data()),
                    mask.size() * sizeof(unsigned long),
                    job_.networks.empty() ? -1 : job_.networks[static_cast<std::size_t>(node)]};

  volatile int error = 0;
  const pid_t pid = vfork();
  if (pid == 0) become(child, error);
  if (pid < 0) return {-1, errno};
  if (error != 0) {
    waitpid(pid, nullptr, 0);
    return {-1, error};
  }
  return {pid, 0};
}

void Spawner::add_padding() {
  std::vector<const char*> words(arguments_.begin(), arguments_.end() - 1);
  // The others are followed by room for ours.
  std::vector<const char*> environment(
      environment_.begin(), environment_.end() - std::ssize(bootstrap::our_variables) - 1);
  for (const std::string& variable : variables_) environment.push_back(variable.c_str());
  for (std::string& variable : bootstrap::padding_for(job_.path, words, environment))
    variables_.push_back(std::move(variable));
}

void Spawner::become(const Child& child, volatile int& error) const {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher_) _exit(status_not_executable);  // it died before we could ask for that
  job_.signals.restore();
  if (holds_requests_) hold_back_requests_to_end();
  if (!child.reads_input) dup2(null_.get(), STDIN_FILENO);
  if (child.output.out >= 0) dup2(child.output.out, STDOUT_FILENO);
  if (child.output.err >= 0) dup2(child.output.err, STDERR_FILENO);
  if (child.mask_bytes > 0) sched_setaffinity(0, child.mask_bytes, child.mask);
  if (child.network >= 0 && setns(child.network, CLONE_NEWNET) != 0) {
    error = errno;
    _exit(status_not_executable);
  }
  fcntl(child.memory.control.get(), F_SETFD, 0);
  for (const auto& segment : child.memory.segments) fcntl(segment.get(), F_SETFD, 0);
  if (job_.store >= 0) fcntl(job_.store, F_SETFD, 0);
  fcntl(life_.get(), F_SETFD, 0);
  execve(job_.path.c_str(), arguments_.data(), environment_.data());
  error = errno;
  _exit(status_not_executable);
}

}  // namespace armature::command

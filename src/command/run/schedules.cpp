// One seed is one schedule. A run may end its process, or never end, and its launcher sets much
// that is the process's: so each is a launcher of its own, and this one only counts.
#include "command/run/schedules.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/file_descriptor.hpp"
#include "base/joined.hpp"
#include "base/write_all.hpp"
#include "command/run/console.hpp"
#include "topology/cores.hpp"

namespace armature::command {
namespace {

constexpr std::string_view option = "--simulate";

/// As a shell takes it.
std::string quoted(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

base::FileDescriptor file_for_output() {
  base::FileDescriptor file(memfd_create("armature-output", MFD_CLOEXEC));
  if (!file)
    base::fail(Errc::start, fmt::format("--simulate: no memory for a run's output: {}",
                                        base::system_text(errno)));
  return file;
}

/// A run under way.
class Run {
 public:
  Run(const Schedules& schedules, std::uint64_t seed)
      : output_(file_for_output()), error_(file_for_output()) {
    const std::vector<std::string> words = command_of(schedules, seed);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ < 0)
      base::fail(Errc::start, fmt::format("--simulate: no process for seed {}: {}", seed,
                                          base::system_text(errno)));
    if (pid_ == 0) become(arguments, parent);
    end_ = base::FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  }

  [[nodiscard]] int end() const { return end_.get(); }
  [[nodiscard]] std::uint64_t seconds() const {
    return (base::now_ns() - since_ns_) / 1'000'000'000;
  }
  /// The exit status, once the run is over: 128 + N where signal N has ended it.
  [[nodiscard]] std::optional<int> status() {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  void show_output() const {
    show(output_, STDOUT_FILENO);
    show(error_, STDERR_FILENO);
  }
  void stop() const {
    kill(pid_, SIGKILL);
    (void)waitpid(pid_, nullptr, 0);
  }

 private:
  [[noreturn]] void become(const std::vector<char*>& arguments, pid_t parent) const {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
    dup2(output_.get(), STDOUT_FILENO);
    dup2(error_.get(), STDERR_FILENO);
    execv("/proc/self/exe", arguments.data());
    _exit(127);
  }
  static void show(const base::FileDescriptor& from, int to) {
    char bytes[1 << 16];
    off_t at = 0;
    for (ssize_t count; (count = pread(from.get(), bytes, sizeof bytes, at)) > 0; at += count)
      if (!base::write_all(to, bytes, static_cast<std::size_t>(count))) return;
  }

  const std::uint64_t since_ns_ = base::now_ns();
  base::FileDescriptor output_, error_, end_;
  pid_t pid_ = -1;
};

/// All runs, in the order of seeds.
class Runs {
 public:
  explicit Runs(const Schedules& schedules)
      : schedules_(schedules), next_(schedules.first), end_(schedules.last) {}
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;
  ~Runs() {
    for (const auto& [seed, run] : running_) run.stop();
  }

  int finish() {
    while (begin_more() || !running_.empty()) {
      await_some();
      take_ended();
      say_progress();
    }
    if (first_failed_) return say_failed();
    say(fmt::format("{} passed, seeds {} to {}, in {:.1f} s", count(passed_), schedules_.first,
                    schedules_.last, seconds()));
    return 0;
  }

 private:
  static constexpr int look_ms = 500;
  static constexpr std::uint64_t progress_every_ns = 10'000'000'000;

  static std::string count(std::uint64_t schedules) {
    return fmt::format("{} schedule{}", schedules, schedules == 1 ? "" : "s");
  }
  [[nodiscard]] double seconds() const {
    return static_cast<double>(base::now_ns() - since_ns_) / 1e9;
  }

  /// Whether there are seeds left, none of which is begun behind one that has failed.
  bool begin_more() {
    const auto most = static_cast<std::size_t>(std::max(topology::usable_cores(), 1));
    while (!has_begun_all_ && !first_failed_ && running_.size() < most) {
      running_.try_emplace(next_, schedules_, next_);
      has_begun_all_ = next_++ == end_;
    }
    return !has_begun_all_ && !first_failed_;
  }
  void await_some() const {
    std::vector<pollfd> ends;
    for (const auto& [seed, run] : running_) ends.push_back({run.end(), POLLIN, 0});
    (void)poll(ends.data(), ends.size(), look_ms);
  }
  void take_ended() {
    for (auto at = running_.begin(); at != running_.end();) {
      const std::optional<int> status = at->second.status();
      if (!status) {
        ++at;
        continue;
      }
      if (*status == 0) {
        ++passed_;
        at = running_.erase(at);
        continue;
      }
      // Those before it go on: one of them may fail, too.
      first_failed_ = {at->first, *status};
      const auto behind = std::next(at);
      for (auto later = behind; later != running_.end(); ++later) later->second.stop();
      running_.erase(behind, running_.end());
      failed_.clear();
      failed_.insert(running_.extract(at));
      return;
    }
  }
  void say_progress() {
    const std::uint64_t now = base::now_ns();
    if (now - said_ns_ < progress_every_ns || running_.empty()) return;
    said_ns_ = now;
    const auto& [seed, run] = *running_.begin();
    say(fmt::format("{} of {} passed so far; seed {} has run for {} s", passed_,
                    count(schedules_.last - schedules_.first + 1), seed, run.seconds()));
  }
  int say_failed() const {
    failed_.begin()->second.show_output();
    std::vector<std::string> words = command_of(schedules_, first_failed_->seed);
    std::ranges::transform(words, words.begin(), quoted);
    say(
        fmt::format("seed {} is the first that fails (exit status {}), of seeds {} to {}; run it "
                    "again with: {}",
                    first_failed_->seed, first_failed_->status, schedules_.first, schedules_.last,
                    base::joined(words, " ")));
    return first_failed_->status;
  }

  struct Failed {
    std::uint64_t seed;
    int status;
  };
  const Schedules& schedules_;
  std::uint64_t next_;
  const std::uint64_t end_;
  bool has_begun_all_ = false;
  std::map<std::uint64_t, Run> running_, failed_;
  std::optional<Failed> first_failed_;
  std::uint64_t passed_ = 0;
  const std::uint64_t since_ns_ = base::now_ns();
  std::uint64_t said_ns_ = since_ns_;
};

}  // namespace

std::vector<std::string> command_of(const Schedules& schedules, std::uint64_t seed) {
  std::vector<std::string> words = {"armature"};
  const std::string prefix = std::string(option) + "=";
  for (std::size_t i = 0; i < schedules.options.size(); ++i) {
    const std::string& word = schedules.options[i];
    if (word.starts_with(prefix)) {
      words.push_back(prefix + std::to_string(seed));
    } else {
      words.push_back(word);
      if (word == option && i + 1 < schedules.options.size()) {
        words.push_back(std::to_string(seed));
        ++i;
      }
    }
  }
  words.insert(words.end(), schedules.program.begin(), schedules.program.end());
  return words;
}

int try_schedules(const Schedules& schedules) { return Runs(schedules).finish(); }

}  // namespace armature::command

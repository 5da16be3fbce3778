#include "world/node_watch.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/file_descriptor.hpp"
#include "bootstrap/node_identity.hpp"
#include "progress/bell.hpp"
#include "world/losses.hpp"

namespace armature {
namespace {

using space::Life;

base::FileDescriptor open_process(int pid) {
  return base::FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

class Watch {
 public:
  Watch(const bootstrap::Roster& roster, const space::Mapping& mapping,
        bootstrap::Exchange& exchange)
      : mapping_(mapping), exchange_(exchange), first_rank_(roster.self().first_rank) {
    const auto processes = roster.processes_of(roster.self().node);
    for (std::size_t i = 1; i < processes.size(); ++i) {
      const std::size_t next =
          (static_cast<std::size_t>(roster.self().index) + i) % processes.size();
      others_.push_back(roster.members[static_cast<std::size_t>(processes[next])]);
    }
    if (const pid_t starter = getppid(); starter > 1) starter_ = open_process(starter);
  }

  void run() {
    for (;;) {
      find_one_to_watch();
      pollfd polled[] = {{watched_.get(), POLLIN, 0}, {starter_.get(), POLLIN, 0}};
      // Where the kernel has no pidfd, it is looked at now and then.
      if (poll(polled, 2, looks_now_and_then_ ? 200 : -1) < 0 && errno != EINTR) return;
      if (i_have_left()) return;  // from now on it is no business of the job's
      if ((polled[1].revents & POLLIN) != 0) {
        say_line("the launcher that has started this process has ended: this process ends too");
        kill(getpid(), SIGKILL);
      }
      if ((polled[0].revents & POLLIN) != 0) watched_.reset();
    }
  }

 private:
  [[nodiscard]] bool is(const bootstrap::Member& process, Life life) const {
    for (int r = process.first_rank; r < process.first_rank + process.hosted; ++r)
      if (mapping_.slot(r).life.load(std::memory_order_acquire) != life) return false;
    return true;
  }

  [[nodiscard]] bool i_have_left() const {
    const Life life = mapping_.slot(first_rank_).life.load(std::memory_order_acquire);
    return life == Life::finished || life == Life::dead;
  }

  /// The next one that runs; those on the way to it that do not have left in order, or are dead.
  void find_one_to_watch() {
    while (!watched_ && !others_.empty()) {
      const bootstrap::Member& next = others_.front();
      looks_now_and_then_ = false;
      // Its number may have become another process's: when it was started says which one it is.
      watched_ = open_process(next.pid);
      const int error = watched_ ? 0 : errno;
      const bool runs = bootstrap::start_of_process(next.pid) == next.started && !has_ended();
      if (runs && watched_) return;
      if (runs && error != ESRCH) {
        looks_now_and_then_ = true;
        return;
      }
      watched_.reset();
      if (!is(next, Life::finished)) declare_dead(next);
      others_.erase(others_.begin());
    }
  }

  /// Also one that nobody has waited for yet.
  [[nodiscard]] bool has_ended() const {
    pollfd polled{watched_.get(), POLLIN, 0};
    return watched_ && poll(&polled, 1, 0) > 0;
  }

  void declare_dead(const bootstrap::Member& process) {
    std::uint32_t dead = 0;
    for (int r = process.first_rank; r < process.first_rank + process.hosted; ++r) {
      const Life before = mapping_.slot(r).life.exchange(Life::dead, std::memory_order_acq_rel);
      if (before != Life::dead && before != Life::finished) ++dead;
    }
    // Life first: who sees the number of deaths grow looks for the dead.
    const std::uint32_t earlier =
        mapping_.header().deaths.fetch_add(dead, std::memory_order_acq_rel);
    for (int r = 0; r < mapping_.ranks(); ++r) progress::detail::wake(mapping_.slot(r));
    const bool goes_on = mapping_.header().on_death == space::OnDeath::go_on;
    if (dead > 0 && (goes_on || earlier == 0))
      say_line(fmt::format("{} has died{}", name_of(process), goes_on ? "" : ": the job ends"));
    if (!goes_on) end_job();
  }

  /// The launcher has noticed too, and says with which status its process ended: it goes first.
  void end_job() {
    const timespec moment{0, 400'000'000};
    nanosleep(&moment, nullptr);
    end_job_at_once(exchange_);
  }

  const space::Mapping mapping_;  // a copy: this thread may see the end of the process's statics
  bootstrap::Exchange& exchange_;
  int first_rank_;
  std::vector<bootstrap::Member> others_;  // of the node, the next one first
  base::FileDescriptor watched_;
  base::FileDescriptor starter_;
  bool looks_now_and_then_ = false;
};

void* run_watch(void* watch) {
  const std::unique_ptr<Watch> owned(static_cast<Watch*>(watch));
  owned->run();
  return nullptr;
}

}  // namespace

void watch_node(const bootstrap::Roster& roster, const space::Mapping& mapping,
                bootstrap::Exchange& exchange) {
  auto watch = std::make_unique<Watch>(roster, mapping, exchange);
  // Signals are the program's: its own threads take them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  const int error = pthread_create(&thread, nullptr, run_watch, watch.get());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0)
    base::fail(Errc::start, fmt::format("no thread to watch the other processes of this node: {}",
                                        base::system_text(error)));
  (void)watch.release();
  pthread_setname_np(thread, "armature-watch");
  pthread_detach(thread);
}

}  // namespace armature

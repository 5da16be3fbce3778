#include "failure/node_watch.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/file_descriptor.hpp"
#include "base/no_signals.hpp"
#include "base/start_thread.hpp"
#include "bootstrap/node_identity.hpp"
#include "failure/losses.hpp"
#include "space/node_memory.hpp"
#include "wait/notifier.hpp"
#include "wait/processes.hpp"

namespace armature::failure {
namespace {

using space::Life;

base::FileDescriptor open_process(int pid) {
  return base::FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

class Watch {
 public:
  Watch(const bootstrap::ProcessTable& process_table, const space::Mapping& mapping,
        bootstrap::Exchange& exchange)
      : mapping_(mapping), exchange_(exchange), process_table_(process_table) {
    const auto processes = process_table.processes_of(process_table.self().node);
    for (std::size_t i = 1; i < processes.size(); ++i) {
      const std::size_t next =
          (static_cast<std::size_t>(process_table.self().index) + i) % processes.size();
      others_.push_back(processes[next]);
    }
    if (const pid_t starter = getppid(); starter > 1) starter_ = open_process(starter);
  }

  void run() {
    for (;;) {
      find_one_to_watch();
      pollfd polled[] = {{watched_.get(), POLLIN, 0}, {starter_.get(), POLLIN, 0}};
      // A process is looked at now and then where the kernel has no pidfd.
      if (poll(polled, 2, looks_now_and_then_ ? 200 : -1) < 0 && errno != EINTR) return;
      // The event is no business of the job's if this process has left it.
      if (is_over(process_table_.me) || am_dead()) return;
      if ((polled[1].revents & POLLIN) != 0) {
        say_line("the launcher that has started this process has ended: this process ends too");
        kill(getpid(), SIGKILL);
      }
      if ((polled[0].revents & POLLIN) != 0) watched_.reset();
    }
  }

 private:
  [[nodiscard]] const bootstrap::Member& member(int process) const {
    return process_table_.members[static_cast<std::size_t>(process)];
  }
  [[nodiscard]] Life life(int rank) const {
    return mapping_.slot(rank).life.load(std::memory_order_acquire);
  }

  /// Lists the ranks that end with that process. Virtual ranks may have come to it, or have left
  /// it.
  [[nodiscard]] std::vector<int> ranks_in(int process) const {
    std::vector<int> ranks;
    const bootstrap::Member& its = member(process);
    if (!process_table_.are_virtual)
      for (int r = its.first_rank; r < its.first_rank + its.hosted; ++r) ranks.push_back(r);
    else
      for (int r = 0; r < mapping_.ranks(); ++r)
        if (mapping_.is_here(r) &&
            mapping_.slot(r).process.load(std::memory_order_acquire) == process)
          ranks.push_back(r);
    return ranks;
  }

  /// Whether a process of this node may end: all its ranks have left the job. Virtual ones may
  /// still come to it as long as there are some.
  [[nodiscard]] bool is_over(int process) const {
    const space::ControlHeader& job = mapping_.header();
    if (job.resize.restart.load(std::memory_order_acquire) == space::Restart::complete)
      return true;  // they go on in others
    if (process_table_.are_virtual)
      return job.here.ranks > 0 && !wait::recovers_on_nodes(job)
                 ? job.all_have_finished()
                 : wait::all_have_finished(mapping_);
    const std::vector<int> ranks = ranks_in(process);
    return std::all_of(ranks.begin(), ranks.end(),
                       [&](int rank) { return life(rank) == Life::finished; });
  }

  [[nodiscard]] bool am_dead() const {
    return !process_table_.are_virtual && life(process_table_.self().first_rank) == Life::dead;
  }

  /// The next one that runs; those on the way to it that do not have left in order, or are dead.
  void find_one_to_watch() {
    while (!watched_ && !others_.empty()) {
      const bootstrap::Member& next = member(others_.front());
      looks_now_and_then_ = false;
      // The number may have become another process's: when it was started says which one it is.
      watched_ = open_process(next.pid);
      const int error = watched_ ? 0 : errno;
      const bool runs = bootstrap::start_of_process(next.pid) == next.started && !has_ended();
      if (runs && watched_) return;
      if (runs && error != ESRCH) {
        looks_now_and_then_ = true;
        return;
      }
      watched_.reset();
      if (!is_over(others_.front())) declare_dead(others_.front());
      others_.erase(others_.begin());
    }
  }

  /// Also one that nobody has waited for yet.
  [[nodiscard]] bool has_ended() const {
    pollfd polled{watched_.get(), POLLIN, 0};
    return watched_ && poll(&polled, 1, 0) > 0;
  }

  void declare_dead(int process) {
    space::NodeMemory(mapping_).reservations().give_up(process);
    if (wait::recovers_on_nodes(mapping_.header()))
      return wait::lose_process({reinterpret_cast<std::byte*>(&mapping_.header())}, process);
    std::uint32_t dead = 0;
    for (const int rank : ranks_in(process)) {
      if (process_table_.are_virtual && life(rank) == Life::finished) continue;
      const Life before = mapping_.slot(rank).life.exchange(Life::dead, std::memory_order_acq_rel);
      if (before != Life::dead && before != Life::finished) ++dead;
    }
    // Life first: who sees the number of deaths grow looks for the dead.
    const std::uint32_t earlier =
        mapping_.header().gone.deaths.fetch_add(dead, std::memory_order_acq_rel);
    wake_all();
    const bool goes_on = mapping_.header().settings.on_death == space::OnDeath::go_on;
    if ((dead > 0 || process_table_.are_virtual) && (goes_on || earlier == 0))
      say_line(fmt::format("{} has died{}", name_of(process_table_, process),
                           goes_on ? "" : ": the job ends"));
    if (!goes_on) end_job();
  }

  void wake_all() const {
    if (process_table_.are_virtual)
      return wait::wake_processes({reinterpret_cast<std::byte*>(&mapping_.header())});
    for (int r = 0; r < mapping_.ranks(); ++r) wait::detail::wake(mapping_.slot(r));
  }

  /// The launcher has noticed too, and says with which status its process ended: it goes first.
  void end_job() {
    const timespec moment{0, 400'000'000};
    nanosleep(&moment, nullptr);
    end_job_at_once(exchange_);
  }

  // Copies: this thread may see the end of the process's statics.
  const space::Mapping mapping_;
  bootstrap::Exchange& exchange_;
  const bootstrap::ProcessTable process_table_;
  std::vector<int> others_;  // of the node, the next one first
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

void watch_node(const bootstrap::ProcessTable& process_table, const space::Mapping& mapping,
                bootstrap::Exchange& exchange) {
  auto watch = std::make_unique<Watch>(process_table, mapping, exchange);
  const base::NoSignals none;
  pthread_t thread{};
  const int error = pthread_create(&thread, nullptr, run_watch, watch.get());
  if (error != 0) base::fail_without_thread("to watch the other processes of this node", error);
  (void)watch.release();
  pthread_setname_np(thread, "armature-watch");
  pthread_detach(thread);
}

}  // namespace armature::failure

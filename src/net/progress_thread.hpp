#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include "net/heartbeat.hpp"
#include "net/peers.hpp"
#include "net/rank_map.hpp"
#include "net/server_way.hpp"
#include "net/thread_suppression.hpp"
#include "transport/links.hpp"
#include "wait/poller.hpp"

// The thread that does what other nodes ask of this process while its ranks do not look.
//
// Ranks that wait poll the network faster than any thread could be woken, and on a machine whose
// cores are all taken a thread that wakes up takes a core from somebody. So while ranks poll by
// themselves the thread does not listen: it is parked, ever longer, and only looks whether they
// still do. When they do not, it sleeps in the kernel until the engine has something. A rank that
// is parked, or that has started what will come while it computes, says so once (leave_to_thread),
// and the thread listens from then on. A rank that computes without a word is noticed when the
// thread has been parked long enough.
//
// A rank that waits sees what comes before the thread could, which would wake up for nothing, on a
// core where somebody may compute. So the rank suppresses the thread as long as it polls
// (wait::SuppressThread). The thread sleeps in the kernel meanwhile and need not look whether ranks
// poll: it is told when they do not any more. What the rank has taken in last may still have to be
// acknowledged then. Nearly always what the rank sends next does so; if not, the thread does, a
// little later. So it is with whatever the rank had to look at again and again.
//
// All of that is for a thread that sleeps. Where it has a core of its own it polls instead
// (ServerWay), and makes no system call in which it could sleep. A rank that polls keeps it from
// looking by a flag, as both would only take the lock from each other.

namespace armature::net {

class ProgressThread final : public wait::ProgressControl {
 public:
  /// The work of the thread for its process beside polling. Under the links' lock.
  struct Process {
    Peers& peers;
    Heartbeat& heartbeat;
    /// Looks at what is looked at when the network is polled; whether that is wanted again soon.
    std::function<bool()> look;
  };

  ProgressThread(transport::Links& links, const RankMap& map, const Process& process);
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;
  ~ProgressThread() override;

  void start(ServerWay way);
  void stop();

  /// A rank has polled; it counts unless the thread knows that it does.
  void polled() {
    if (!suppression_.is_on()) polls_.fetch_add(1, std::memory_order_relaxed);
  }
  void found_more(bool more) { suppression_.found_more(more); }
  void polled_once() override { suppression_.polled_once(); }
  void leave_to_thread() override;
  void look_now() override;
  void rank_parks() override;
  void rank_resumes() override;
  [[nodiscard]] bool suppress() override { return suppression_.suppress(); }
  void resume() override { suppression_.resume(); }

 private:
  class Cores;

  void serve();
  void serve_polling();
  void park(std::uint32_t times);
  [[nodiscard]] bool listen();
  [[nodiscard]] bool ranks_poll();
  void wake_sleepers();
  void count_sleep();
  [[nodiscard]] bool look_polling();
  [[nodiscard]] bool tend();

  transport::Links& links_;
  const RankMap& map_;
  Process process_;
  ThreadSuppression suppression_{links_};
  std::unique_ptr<Cores> cores_;
  std::atomic<std::uint64_t> polls_{0};
  std::atomic<std::uint32_t> left_to_thread_{0};  // how often; a futex
  std::atomic<bool> is_parked_{false};
  std::atomic<bool> ends_{false};

  // Used by the thread alone.
  std::uint64_t polls_seen_ = 0;
  std::uint64_t seen_ns_ = 0;
  std::uint64_t park_ns_ = 0;
  ServerWay way_ = ServerWay::sleeps;  // set before it begins

  int wake_fd_ = -1;
  std::thread thread_;
};

}  // namespace armature::net

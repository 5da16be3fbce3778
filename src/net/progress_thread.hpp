#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "net/rank_map.hpp"
#include "transport/links.hpp"

// The thread that does what other nodes ask of this process while its ranks do not look.
//
// Ranks that wait poll the network faster than any thread could be woken, and on a machine whose
// cores are all taken a thread that wakes up takes a core from somebody. So while ranks poll by
// themselves it does not listen: it naps, ever longer, and only looks whether they still do. When
// they do not, it sleeps in the kernel until the engine has something. A rank that goes to sleep,
// or that has started what will come while it computes, says so once (look_away), and it listens
// from then on; a rank that computes without a word is noticed when the nap is over.
//
// A rank that waits sees what comes before the thread could, which would wake up for nothing, on a
// core where somebody may compute. So it stops the thread's ears as long as it polls (Quiet). The
// thread sleeps in the kernel meanwhile and need not look whether ranks poll: it is told when they
// do not any more. What the rank has taken in last may still have to be acknowledged then: nearly
// always what it sends next does so; if not, the thread does, a little later. So it is with
// whatever the rank had to look at again and again.

namespace armature::net {

class ProgressThread {
 public:
  /// What it does for its process beside polling. All but ends_soon under the links' lock.
  class Process {
   public:
    Process() = default;
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    virtual ~Process() = default;
    /// The processes on other nodes.
    [[nodiscard]] virtual const std::vector<int>& others() const = 0;
    /// What is looked at when the network is polled; whether that is wanted again soon.
    virtual bool look() = 0;
    /// Whether the job is to end because of a loss; where it should have by now, ends it.
    [[nodiscard]] virtual bool ends_soon() const = 0;
    virtual void end_after_loss() = 0;
    /// Ends this process if others are without it by now.
    virtual void end_if_given_up() = 0;
  };

  ProgressThread(transport::Links& links, const RankMap& map, Process& process);
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;
  ~ProgressThread();

  /// `heartbeat_ns`: a process that is silent for longer is lost; 0: never.
  void start(std::uint64_t heartbeat_ns);
  void stop();

  /// A rank has polled; it counts unless the thread knows that it does.
  void polled() {
    if (!ears_stopped_.load(std::memory_order_relaxed))
      polls_.fetch_add(1, std::memory_order_relaxed);
  }
  /// Whether there is something it must look at again soon, which the thread does when it polls no
  /// more.
  void found_more(bool more) {
    if (more_.load(std::memory_order_relaxed) != more) more_.store(more, std::memory_order_relaxed);
  }
  /// A rank will not poll for a while; what comes for it is listened for from now on.
  void look_away();
  /// There is something to be sent, which its rank does not stay for.
  void wake();
  /// Whoever is bound to a core sleeps, or does not any more: the thread may run there meanwhile.
  void fall_asleep();
  void wake_up();
  /// A rank polls from now on, until it calls hear_again. False when the thread hears all the same.
  [[nodiscard]] bool stop_ears();
  /// Whether this process was, for longer than the heartbeat allows, until a short while ago. All
  /// at once may have been, then nobody was given up. Under the links' lock.
  [[nodiscard]] bool was_stopped() const;
  /// By whoever stops polling, also for a while. What is left to be done is done a little later.
  void hear_again() {
    if (ears_stopped_.load(std::memory_order_relaxed)) open_ears();
    if (leaves_something()) do_rest_later();
  }
  /// By who has polled once, and may not do so again: what is left is done a little later, unless
  /// another rank polls.
  void polled_once() {
    if (!ears_stopped_.load(std::memory_order_relaxed) && leaves_something()) do_rest_later();
  }

 private:
  class Cores;

  void serve();
  void nap(std::uint32_t times);
  [[nodiscard]] bool listen();
  void beat();
  [[nodiscard]] bool ranks_poll();
  void wake_sleepers();
  void open_ears();
  [[nodiscard]] bool leaves_something() const;
  void do_rest_later();
  void make_ears();
  [[nodiscard]] bool make_descriptors_of_ears();

  transport::Links& links_;
  const RankMap& map_;
  Process& process_;
  std::unique_ptr<Cores> cores_;
  std::atomic<std::uint64_t> polls_{0};
  std::atomic<std::uint32_t> looked_away_{0};  // a futex
  std::atomic<bool> naps_{false};
  std::atomic<bool> more_{false};
  std::atomic<bool> ends_{false};
  std::atomic<bool> ears_stopped_{false};  // written under the lock, with what it says
  std::mutex ears_lock_;
  int ears_ = -1;   // readable when the engine's descriptor is, unless stopped
  int later_ = -1;  // a timer, for what is left to be done when a rank polls no more
  std::atomic<bool> is_set_{false};  // that one

  // Of the thread alone.
  std::uint64_t polls_seen_ = 0;
  std::uint64_t seen_ns_ = 0;
  std::uint64_t nap_ns_ = 0;

  struct Pulse {  // of another process
    std::uint64_t received = 0;
    std::uint64_t since_ns = 0;
  };
  std::vector<Pulse> pulses_;  // in the order of Process::others()
  std::uint64_t heartbeat_ns_ = 0;
  // Written under the links' lock: when we looked last, and when we saw that we had been stopped.
  std::uint64_t beat_ns_ = 0;
  std::uint64_t stopped_ns_ = 0;

  int wake_fd_ = -1;
  std::thread thread_;
};

}  // namespace armature::net

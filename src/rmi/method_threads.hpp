#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "armature/concurrent.hpp"
#include "rmi/call_failures.hpp"
#include "rmi/endpoint_context.hpp"

namespace armature::rmi {

/// A call of a concurrent method that is not over: a copy of its request.
struct ConcurrentTask {
  struct Free {
    void operator()(std::byte* bytes) const { ::operator delete (bytes, std::align_val_t{64}); }
  };

  detail::ConcurrentCall call;
  detail::Reply* slot = nullptr;  // the asker's, on whatever node; nullptr where nobody waits
  const detail::Method* method = nullptr;
  detail::RunConcurrent run = nullptr;
  std::uint8_t depth = 0;  // of calls that it makes
  CalledAt called_at;      // where requests say it
  std::unique_ptr<std::byte, Free> bytes;
  std::exception_ptr failure;
};

/// The threads beside a rank that run its concurrent methods (armature/concurrent.hpp).
///
/// A call is queued while there is room, else the rank executes it as any other. So many threads
/// run methods at once as were asked for. A method that waits for an answer does not count: another
/// thread runs the next call, and is started if need be. The rank runs calls, too, where there are
/// more than idle threads take, unless a method of its own waits: that would have to wait for them.
///
/// Claim: what is queued is run, although any number of methods wait. Each depth of calls
/// (docs/internals/requests.md) has threads of its own, `of_depth_max` or more. A call of the
/// greatest depth makes no two-way calls, so it ends. A call of a lesser depth waits for deeper
/// ones alone, so by induction it ends, and its thread runs the next call of that depth.
///
/// Of a rank that has a thread of its own the threads stay until it leaves the job. They call as
/// threads do that the program has started. A virtual rank starts them as its own threads: so what
/// they allocate is the rank's, and the rank stays in its process while one runs. They end when
/// nothing is queued. What they cannot answer themselves is answered in the rank's next turn.
class MethodThreads {
 public:
  MethodThreads(EndpointContext& context, CallFailures& failures);
  MethodThreads(const MethodThreads&) = delete;
  MethodThreads& operator=(const MethodThreads&) = delete;
  ~MethodThreads() { end(); }

  // By the thread that executes the rank's calls.
  /// Queues the call; false where it is to be executed at once.
  [[nodiscard]] bool take(const detail::Call& call, const detail::Method& method,
                          detail::RunConcurrent run);
  /// A queued call for the rank to run, as no thread is free. nullptr: there is none.
  [[nodiscard]] std::unique_ptr<ConcurrentTask> take_back();
  /// Runs it on the calling thread, and answers.
  void run_here(std::unique_ptr<ConcurrentTask> task);
  /// Answers calls whose threads could not. Whether a method is over since it was last asked.
  bool answer_rest();
  /// Whether there may be something for the two above.
  [[nodiscard]] bool has_news() const { return has_news_.load(std::memory_order_acquire); }
  /// Whether there is; asked before falling asleep. What waits for a thread is none of it, nor is
  /// what is queued while a method of the rank waits.
  [[nodiscard]] bool has_work(bool beside_wait) const {
    return has_news() && has_work_now(beside_wait);
  }
  void end();

  // By any thread.
  /// Calls from that rank, or from all, that count as executed when they are over.
  [[nodiscard]] std::uint64_t under_way(int from) const;
  [[nodiscard]] std::uint64_t under_way() const;
  /// Whether a method of that object is queued, or under way on another thread.
  [[nodiscard]] bool runs(const void* object) const;

  /// Queued calls for each thread. More while a method of the rank waits: what the rank would run
  /// itself would keep that from going on.
  static constexpr std::size_t queued_max = 16, queued_beside_wait_max = 4096;
  /// Threads for calls of each depth, those that wait included.
  static constexpr std::size_t of_depth_max = 4;
  /// Longer requests are not copied.
  static constexpr std::size_t bytes_max = 64 * 1024;
  /// The rank hears of methods that are over at least so often, where it may wait for their number.
  static constexpr std::uint8_t told_every = 128;

 private:
  friend class MethodWaits;
  friend class AnyMethodWaits;
  [[nodiscard]] bool is_full() const;
  [[nodiscard]] bool has_work_now(bool beside_wait) const;
  [[nodiscard]] std::size_t free_threads() const;
  using Queue = std::list<std::unique_ptr<ConcurrentTask>>;  // no memory while it is empty
  [[nodiscard]] Queue::iterator runnable();
  [[nodiscard]] std::unique_ptr<ConcurrentTask> copy(const detail::Call& call) const;
  void need_thread(std::unique_lock<std::mutex> lock);
  void keep(std::thread thread);
  void serve();
  [[nodiscard]] std::unique_ptr<ConcurrentTask> next(std::unique_lock<std::mutex>& lock);
  void call(ConcurrentTask& task) const;
  void run_on_thread(std::unique_ptr<ConcurrentTask> task);
  [[nodiscard]] bool answer_at_once(ConcurrentTask& task) const;
  void answer_as_rank(ConcurrentTask& task);
  void be_over(const ConcurrentTask& task);

  EndpointContext& context_;
  CallFailures& failures_;
  const std::size_t threads_max_;  // 0: nothing is run beside
  const bool is_virtual_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable ready_;
  std::condition_variable ended_;  // the last thread has
  Queue queue_;
  Queue to_answer_;                     // by the rank
  std::vector<std::thread> threads_;    // of a rank with its own thread
  std::size_t running_ = 0;             // threads, idle ones too
  std::size_t idle_ = 0;                // of these, and that are starting
  std::size_t active_ = 0;              // run a method that does not wait
  std::vector<std::uint8_t> of_depth_;  // calls that threads run, by depth; empty without threads
  std::uint64_t under_way_ = 0;
  std::unordered_map<int, std::uint64_t> from_;            // of these, by caller
  std::unordered_map<const void*, std::uint64_t> object_;  // and by object
  struct News {
    std::uint16_t any_waits = 0;  // waits of the rank that end with any method
    std::uint8_t untold = 0;      // methods that are over, of which the rank has not been told
    bool is_over = false;         // one, as the rank has been told; or it is to be answered
  };
  News news_;
  bool ends_ = false;

  std::atomic<bool> has_news_ = false;  // release: something is queued, to be answered, or over
};

/// While one lives the calling thread waits for an answer, if it runs a concurrent method: another
/// may run meanwhile.
class MethodWaits {
 public:
  explicit MethodWaits(MethodThreads& threads);
  MethodWaits(const MethodWaits&) = delete;
  MethodWaits& operator=(const MethodWaits&) = delete;
  ~MethodWaits();

 private:
  MethodThreads* threads_ = nullptr;  // nullptr: it runs none
};

/// While one lives the rank hears of each method that is over. Costs nothing in a job without
/// threads for concurrent methods.
class AnyMethodWaits {
 public:
  explicit AnyMethodWaits(MethodThreads& threads) : threads_(threads) {
    if (threads.threads_max_ > 0) count(1);
  }
  AnyMethodWaits(const AnyMethodWaits&) = delete;
  AnyMethodWaits& operator=(const AnyMethodWaits&) = delete;
  ~AnyMethodWaits() {
    if (threads_.threads_max_ > 0) count(-1);
  }

 private:
  void count(int waits);

  MethodThreads& threads_;
};

}  // namespace armature::rmi

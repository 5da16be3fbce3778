#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <armature/aggregate.hpp>
#include <armature/handle.hpp>
#include <armature/locality.hpp>
#include <armature/run.hpp>

#include "armci.h"
#include "turn.hpp"

// Two ints are all that a caller's armci_hdl_t has room for, and the caller may copy or forget
// them. So what is under way stands here, and the handle's first int names it: 0 for nothing,
// numbers are not used twice soon, so a stale handle finds nothing. Between processes of a node
// transfers are complete when they were started and never get here.

namespace armci {

class Pending {
 public:
  /// Notes an operation to `proc` down under the handle.
  void add(armci_hdl_t& handle, int proc, armature::Handle&& operation);
  /// Calls use(aggregate) with that of the handle. One that was for another process is completed
  /// first. The lock is free by then: the call may wait for room, and a method, or another module,
  /// begins operations and waits for them. Other threads wait until it is over.
  template <std::invocable<armature::Aggregate&> Use>
  void aggregate(armci_hdl_t& handle, int proc, Use&& use) {
    std::unique_lock held(lock_);
    Entry& entry = gathering_entry_of(held, handle, proc);
    const int number = handle.target;
    const Kept kept(*this, number, entry, true);
    armature::Aggregate& found = *entry.together;
    held.unlock();
    use(found);
    if (handle.target == 0)
      handle.target = number;  // a method has waited for what was begun before
  }
  /// The aggregate of the handle where it was the last one used, and for that process; else
  /// nullptr. Takes no lock: most requests of an aggregate handle come one after the other.
  [[nodiscard]] armature::Aggregate* latest(const armci_hdl_t& handle, int proc) const {
    const std::uint64_t key = key_of(handle, proc);
    if (handle.target == 0 || latest_key_.load(std::memory_order_acquire) != key) return nullptr;
    armature::Aggregate* const found = latest_.load(std::memory_order_acquire);
    // Another thread may have noted its own meanwhile.
    return latest_key_.load(std::memory_order_relaxed) == key ? found : nullptr;
  }

  // The lock is free while one of these waits or looks: other threads begin operations and wait for
  // theirs, and so do a method and another module.

  void wait(armci_hdl_t& handle);
  /// True if all that the handle stands for is complete.
  bool test(armci_hdl_t& handle);
  /// All to one process, and all, with explicit and implicit handles.
  void wait_process(int proc);
  void wait_all();

  /// Has the requests of aggregate handles leave that wait for more of them; no fence knows of such
  /// a one. Those to one process, or all.
  void leave_process(int proc);
  void leave_all();

 private:
  struct Entry {
    int proc = -1;
    std::vector<armature::Handle> operations;
    std::unique_ptr<armature::Aggregate> together;
    // For other processes, begun with the same handle by a call that was let in amid another one.
    std::vector<std::unique_ptr<armature::Aggregate>> earlier;
    // Calls of one thread that wait or look at it, and have no lock: other threads leave it alone.
    // A method or another module does not, as no such use would end while it waited for that.
    int uses = 0;
    int keeps = 0;   // calls that use its aggregates without the lock: it stays until they end
    int begins = 0;  // those of them that begin requests: it stays behind them, too
    std::thread::id user;
    bool goes = false;  // when nothing uses or keeps it any more

    [[nodiscard]] bool is_of_another_thread() const;
    [[nodiscard]] bool is_over() const { return goes && uses == 0 && keeps == 0; }
    void wait();
    bool test();
    /// Calls use(aggregate) with each that it has.
    template <std::invocable<const armature::Aggregate&> Use>
    void each_aggregate(Use&& use) const {
      for (const auto& aggregate : earlier) use(*aggregate);
      if (together) use(*together);
    }
    [[nodiscard]] bool concerns(int of) const { return proc == of || proc == -1; }
  };
  class InUse;

  /// The entry stays as long as one lives, whoever waits for it. Made under the lock.
  class Kept {
   public:
    Kept(Pending& all, int number, Entry& entry, bool begins_more);
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    /// The lock is free.
    ~Kept();

   private:
    Pending& all_;
    const int number_;
    Entry& entry_;
    const bool begins_more_;
  };

  /// Never 0 for a handle that stands for something.
  static std::uint64_t key_of(const armci_hdl_t& handle, int proc) {
    return std::uint64_t{static_cast<std::uint32_t>(handle.target)} << 32 |
           static_cast<std::uint32_t>(proc);
  }

  void wait_for(int number);
  template <class Which>
  void wait_for_those(Which&& which);
  template <class Which>
  void leave_those(Which&& which);
  template <class Which>
  [[nodiscard]] std::vector<int> numbers_of(Which&& which);

  // Under the lock:
  Entry& entry_of(std::unique_lock<std::mutex>& held, armci_hdl_t& handle, int proc);
  /// One that has an aggregate of requests to `proc`.
  Entry& gathering_entry_of(std::unique_lock<std::mutex>& held, armci_hdl_t& handle, int proc);
  Entry* find(std::unique_lock<std::mutex>& held, int number);
  void note_latest(const armci_hdl_t& handle, int proc, armature::Aggregate& aggregate);
  /// Before an entry or an aggregate goes.
  void forget_latest() { latest_key_.store(0, std::memory_order_relaxed); }

  std::atomic<bool> has_gathered_ = false;  // by an aggregate handle, so far
  std::atomic<std::uint64_t> latest_key_ = 0;
  std::atomic<armature::Aggregate*> latest_ = nullptr;
  std::mutex lock_;
  std::unordered_map<int, Entry> entries_;
  int last_ = 0;
  std::uint32_t uses_ended_ = 0;  // of entries; grows under the lock, and is waited for without it
};

Pending& pending();

/// The operation is what the handle stands for, or part of it, unless it is complete already.
inline void note(armci_hdl_t& handle, int proc, armature::Handle&& operation) {
  if (!operation.is_empty()) pending().add(handle, proc, std::move(operation));
}

/// Whether a transfer that is complete when its call returns may leave the handle alone: an
/// aggregate one may stand for something that has to be completed first.
inline bool may_pass(const armci_hdl_t* handle) {
  return handle == nullptr || handle->aggregate == 0 || handle->target == 0;
}

/// Starts a transfer by the way that its handle asks for. Within a node all are complete at once.
template <std::invocable Implicit, std::invocable Explicit,
          std::invocable<armature::Aggregate&> Aggregated>
void start(armci_hdl_t* handle, int proc, Implicit&& implicit, Explicit&& single,
           Aggregated&& aggregated) {
  if (handle == nullptr)
    implicit();
  else if (handle->aggregate == 0)
    note(*handle, proc, single());
  else if (may_pass(handle) && armature::same_node(armature::world().rank(), proc))
    implicit();
  else
    pending().aggregate(*handle, proc, aggregated);
}

}  // namespace armci

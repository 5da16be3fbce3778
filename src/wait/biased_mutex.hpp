#pragma once

#include <atomic>
#include <mutex>

// A mutex that one thread takes nearly always: its owner. Until anybody else asks for it, the owner
// takes it and gives it back by plain stores. A locked instruction would make every store that a
// short message has just made arrive before the rank goes on, and cost as much as the rest of it.
//
// Whoever else asks ends that for good. Invariant: while `is_shared_` is false, the owner alone is
// inside, and only where `is_held_` is true. Once it is true, whoever is inside has `mutex_`. The
// exception is an owner that came in before: the one that has made it true waits for it.
//
// The owner stores is_held_ and then loads is_shared_, with nothing but the compiler's order
// between. The other stores is_shared_, makes all threads of the job that run pass a barrier
// (membarrier, as sleepers do: notifier.hpp), and then looks at is_held_. Either the owner's store
// came before its barrier, and the other sees it and waits. Or the owner's load comes after, and
// the owner sees that the mutex is shared and goes the other way. Release and acquire of is_held_
// hand over what the owner did inside. Where the kernel has no membarrier, the mutex is shared from
// the beginning.
//
// The owner may change from thread to thread, as a virtual rank does, where the one before has done
// its last before the next begins. A thread must know whether it is the owner: two that both think
// so exclude nobody.

namespace armature::wait {

class BiasedMutex {
 public:
  /// Has an owner only where notifiers work (notifier.hpp).
  BiasedMutex();
  BiasedMutex(const BiasedMutex&) = delete;
  BiasedMutex& operator=(const BiasedMutex&) = delete;
  ~BiasedMutex() = default;

  /// Whether anybody but the owner has asked for it.
  [[nodiscard]] bool is_shared() const { return is_shared_.load(std::memory_order_relaxed); }

  /// Holds it.
  class Lock {
   public:
    Lock(BiasedMutex& mutex, bool is_owner)
        : mutex_(mutex), is_the_owners_(is_owner && mutex.take_by_owner()) {
      if (!is_the_owners_) [[unlikely]]
        mutex.lock(is_owner);
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    ~Lock() {
      if (is_the_owners_) [[likely]]
        mutex_.is_held_.store(false, std::memory_order_release);
      else
        mutex_.mutex_.unlock();
    }
    /// Whether nobody else may want it, or they have not asked so far.
    [[nodiscard]] bool is_the_owners() const { return is_the_owners_; }

   private:
    BiasedMutex& mutex_;
    const bool is_the_owners_;
  };

 private:
  bool take_by_owner() {
    is_held_.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (!is_shared_.load(std::memory_order_relaxed)) [[likely]]
      return true;
    is_held_.store(false, std::memory_order_release);
    return false;
  }
  void lock(bool is_owner);

  std::atomic<bool> is_held_ = false;  // by the owner, who has not seen that it is shared
  std::atomic<bool> is_shared_;
  std::mutex mutex_;
};

}  // namespace armature::wait

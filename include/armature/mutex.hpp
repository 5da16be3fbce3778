#pragma once

#include <cstddef>
#include <memory>

#include "armature/detail/export.hpp"
#include "armature/error.hpp"
#include "armature/rank.hpp"

namespace armature {

/// A set of mutexes, some at each member of a team (armci-rma-2006, 3.3), for critical sections
/// over global memory. Locking is an acquire and unlocking a release for blocking puts and
/// accumulates to any rank, as in OpenSHMEM (shmem_clear_lock), and for plain loads and stores on
/// the node. Not recursive, not fair. Threads that the program has started in a process of one rank
/// exclude each other, too; any of them may unlock. Waiters spin, then sleep. Created by
/// Team::create_mutexes, destroyed by Team::destroy_mutexes, both collective.
class ARMATURE_API Mutexes {
 public:
  Mutexes() = default;

  /// Throws Error(bad_rank), Error(bad_argument: no such mutex), Error(misuse: this thread holds it
  /// already), Error(rank_lost: its holder died).
  void lock(int member, int index) const;
  [[nodiscard]] bool try_lock(int member, int index) const;
  /// Waits until what this process has put to other nodes is there, then gives the mutex back.
  /// Throws Error(misuse) when this rank does not hold it.
  void unlock(int member, int index) const;

  /// How many mutexes that member has.
  [[nodiscard]] int count(int member) const;
  explicit operator bool() const { return state_ != nullptr; }

  /// Holds one for a scope. At its end no Error(rank_lost) is thrown: with its owner, a mutex is
  /// gone. Other errors end the program there.
  class [[nodiscard]] Guard {
   public:
    Guard(const Mutexes& mutexes, int member, int index)
        : mutexes_(mutexes), member_(member), index_(index) {
      mutexes_.lock(member, index);
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() { release(); }

   private:
    void release() const {
      try {
        mutexes_.unlock(member_, index_);
      } catch (const Error& error) {
        if (error.code() != Errc::rank_lost) throw;
      }
    }
    const Mutexes& mutexes_;
    int member_;
    int index_;
  };
  Guard guard(int member, int index) const { return {*this, member, index}; }

  struct State;
  explicit Mutexes(std::shared_ptr<State> state) : state_(std::move(state)) {}
  [[nodiscard]] const std::shared_ptr<State>& state() const { return state_; }

 private:
  std::shared_ptr<State> state_;
};

}  // namespace armature

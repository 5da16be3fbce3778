#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <vector>

#include "armature/handle.hpp"
#include "armature/rank.hpp"
#include "wait/context_slot.hpp"
#include "wait/rank_context.hpp"

namespace armature::wait {

/// A rank's operations with implicit handle that are still under way. Whoever waits for them lets
/// calls in, whose methods may begin and await some too; and a rank may have a second thread. So
/// they stay here, under a lock, until they are complete, and nobody lets others in who holds it.
class Implicit {
 public:
  /// Does not look whether it is complete: that would send what had better gather. Waits for the
  /// oldest where there are very many; whether these have failed is told by who waits for them.
  void add(Rank to, Handle handle);
  /// Waits for all that were begun before. Throws the first failure, when all are over.
  void wait() { wait(Rank::none()); }
  void wait(Rank to);
  /// Whether none to that rank is left. Throws likewise.
  [[nodiscard]] bool test(Rank to);

 private:
  struct Pending {
    std::uint64_t number;  // grows
    Rank to;
    Handle handle;
    bool is_complete = false;
    std::exception_ptr failure = nullptr;
  };
  struct Which {
    Rank to = Rank::none();  // none: of any
    std::uint64_t before = UINT64_MAX;
    [[nodiscard]] bool has(const Pending& one) const {
      return one.number < before && (to == Rank::none() || one.to == to);
    }
  };
  void wait_for(const Which& which);
  bool are_complete(const Which& which, std::uint64_t& first);
  void throw_failure(const Which& which);
  [[nodiscard]] std::uint64_t next();

  static constexpr std::size_t pending_max = 4096;
  std::mutex mutex_;
  std::uint64_t next_ = 0;
  std::vector<Pending> pending_;  // by number
};

inline constexpr ContextSlot<Implicit> implicit_slot{0};
/// The implicit operations of that rank.
inline Implicit& implicit_of(const RankContext& rank) { return *implicit_slot.in(rank.slots); }

}  // namespace armature::wait

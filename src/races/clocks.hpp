#pragma once

#include <cstdint>
#include <span>

#include "races/region.hpp"

// Vector clocks tell which of a rank's accesses come before a moment of another rank (Mattern 1989,
// Fidge 1988). An epoch of the accessing rank lies beside each access (as in FastTrack,
// Flanagan and Freund, 2009). A put is an access of its own that ends at a fence: who hears of the
// put without its fence is not behind it.

namespace armature::races {

/// The clocks of a region, for who holds its lock.
class Clocks {
 public:
  explicit Clocks(Region& region) : region_(region) {}

  /// Begins a new epoch of the rank: accesses from now on are not among those told before.
  void advance(int rank) { ++clock(rank)[rank]; }
  [[nodiscard]] std::uint32_t epoch(int rank) { return clock(rank)[rank]; }

  /// `rank` learns all that `other` has done and learnt so far.
  void hear_from(int rank, int other);
  void hear_from_all(int rank);
  /// `rank` learns what `entry`'s rank had done by that access.
  void hear_of(int rank, const Entry& entry);

  /// The rank enters that round of a team, or has left it: then it learns what the members had done
  /// when they entered it.
  void enter(int rank, std::uint64_t team, std::uint64_t round);
  void leave(int rank, std::uint64_t team, std::uint64_t round,
             std::span<const std::int32_t> members);

  /// The number of a put of that rank; `is_later`: one that is to be waited for.
  std::uint32_t begin_put(int rank, bool is_later);
  /// The rank has waited for a non-blocking put.
  void end_later_put(int rank, std::uint32_t number);
  /// Completes the rank's puts to `target`, or to all (-1), but for non-blocking ones that it has
  /// not waited for.
  void fence(int rank, int target);

  /// Whether the access lies before what `rank` does now; and why it does not.
  enum class Order { before, put_not_complete, put_not_awaited, unordered };
  [[nodiscard]] Order order(int rank, const Entry& entry);

 private:
  [[nodiscard]] std::uint32_t* clock(int rank) { return region_.clock(rank); }
  void join(std::uint32_t* into, const std::uint32_t* from, int but);
  [[nodiscard]] bool is_open(int rank, std::uint32_t put);
  /// The epoch from which on the put is complete; 0: it is not.
  [[nodiscard]] std::uint32_t completed(const Entry& put);

  Region& region_;
};

}  // namespace armature::races

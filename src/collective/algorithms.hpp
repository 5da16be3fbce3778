#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collective/schedule.hpp"

// The algorithms of collectives: each writes the part of one member into a schedule. All of them
// apply an operator in the order of the team, but for those that say that it must commute. All
// members get the same bits: what is combined is combined once, or by all in the same order.

namespace armature::collective {

/// A member's place in a team.
struct Members {
  int me = 0;
  int size = 1;

  /// The member so many places further, going round.
  [[nodiscard]] int behind(int by) const { return (me + by) % size; }
  [[nodiscard]] int before(int by) const { return (me + size - by) % size; }
};

/// Elements that are combined.
struct Elements {
  std::size_t count = 0;
  std::size_t bytes_each = 1;
  [[nodiscard]] std::size_t bytes() const { return count * bytes_each; }
};

// barrier: in round k member i tells member i + 2^k (Hensgen, Finkel and Manber, 1988).
// dissemination.cpp
void disseminate(Schedule& schedule, const Members& members);

// Rooted collectives, along a binomial tree of ranges of members. tree.cpp
void broadcast_by_tree(Schedule& schedule, const Members& members, int root, std::size_t bytes);
void gather_by_tree(Schedule& schedule, const Members& members, int root, std::size_t block);
void scatter_by_tree(Schedule& schedule, const Members& members, int root, std::size_t block);
void reduce_by_tree(Schedule& schedule, const Members& members, int root, const Elements& elements);

// allreduce of few bytes: in round k all pairs of groups of 2^k members exchange what they have.
// The result lies at `data`, which is the member's own data before. doubling.cpp
void allreduce_by_doubling(Schedule& schedule, const Members& members, Place data,
                           const Elements& elements);
// allreduce of many bytes: a reduce_scatter by halving the data, and an allgather by doubling
// (Rabenseifner, 2004). halving.cpp
void allreduce_by_halving(Schedule& schedule, const Members& members, const Elements& elements);
// allreduce around a ring, for operators that commute. ring.cpp
void allreduce_by_ring(Schedule& schedule, const Members& members, const Elements& elements);

/// Blocks of all members, one behind the other: where each begins. One more than there are members.
using Offsets = std::span<const std::size_t>;
/// The elements in as many blocks as there are members, which differ by one element at most.
[[nodiscard]] std::vector<std::size_t> even_blocks(const Members& members,
                                                   const Elements& elements);
// allgather: around a ring, of blocks that may differ (ring.cpp); or of few bytes by doubling
// (Bruck et al., 1997; bruck.cpp).
// `own` is where the member's own block lies before.
void allgather_by_ring(Schedule& schedule, const Members& members, Offsets blocks,
                       Place own = input);
void allgather_by_bruck(Schedule& schedule, const Members& members, std::size_t block);

// alltoall: each pair exchanges its blocks (pairwise.cpp); or few bytes in log2(size) messages
// (bruck.cpp).
void alltoall_by_pairs(Schedule& schedule, const Members& members, Offsets to, Offsets from);
void alltoall_by_bruck(Schedule& schedule, const Members& members, std::size_t block);
// reduce_scatter: each member gets its block of all others, and combines. Blocks are told in bytes.
// pairwise.cpp
void reduce_scatter_by_pairs(Schedule& schedule, const Members& members, Offsets blocks,
                             Place from = input, Place into = output);
// Blocks that only the root knows the lengths of. `mine` is the caller's. pairwise.cpp
void gather_at_root(Schedule& schedule, const Members& members, int root, std::size_t mine,
                    Offsets blocks);
void scatter_from_root(Schedule& schedule, const Members& members, int root, std::size_t mine,
                       Offsets blocks);

// Prefixes (Hillis and Steele, 1986): in round k member i tells member i + 2^k what members
// i - 2^k + 1 to i have. An exclusive one first moves all data by one member. prefix.cpp
enum class Prefix { inclusive, exclusive };
void scan(Schedule& schedule, const Members& members, Prefix prefix, const Elements& elements);

// Reductions and scans that combine from the first member to the last, one after the other: the
// result depends on the team alone. The reduce_scatter above does so, too. in_order.cpp
void allreduce_in_order(Schedule& schedule, const Members& members, const Elements& elements);
void reduce_in_order(Schedule& schedule, const Members& members, int root,
                     const Elements& elements);
void scan_in_order(Schedule& schedule, const Members& members, Prefix prefix,
                   const Elements& elements);

}  // namespace armature::collective

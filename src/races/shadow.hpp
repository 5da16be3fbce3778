#pragma once

#include <optional>

#include "races/clocks.hpp"
#include "races/region.hpp"

namespace armature::races {

/// The last accesses to all memory of the ranks, for who holds the region's lock. Short ones lie
/// in buckets of few bytes, long ones in buckets of many. A full bucket forgets its oldest access.
class Shadow {
 public:
  explicit Shadow(Region& region) : region_(region), clocks_(region) {}

  struct Conflict {
    Entry entry;
    Clocks::Order order;
  };
  /// An access before that `access` conflicts with and is not behind.
  [[nodiscard]] std::optional<Conflict> conflict(const Entry& access);
  void add(const Entry& access);
  /// The rank has seen the word [begin, end) as others have left it: it learns what they had done.
  /// `only`: what is learnt of by accesses of that kind, if it is not `none`.
  void hear_of_word(int rank, std::uint64_t begin, std::uint64_t end, Kind only);

 private:
  template <class Do>
  void each_bucket(std::size_t level, std::uint64_t begin, std::uint64_t end, Do&& act);

  Region& region_;
  Clocks clocks_;
};

/// Whether two accesses to the same bytes must be ordered.
[[nodiscard]] bool conflict(const Entry& a, const Entry& b);

}  // namespace armature::races

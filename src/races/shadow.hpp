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
  /// By which accesses a rank learns what others had done.
  enum class By { all, atomics, atomics_and_words };
  /// The rank has seen the word [begin, end) as others have left it: it learns what they had done.
  void hear_of_word(int rank, std::uint64_t begin, std::uint64_t end, By by);

 private:
  [[nodiscard]] bool tells(int rank, const Entry& entry, By by);
  template <class Do>
  void each_bucket(std::size_t level, std::uint64_t begin, std::uint64_t end, Do&& act);

  Region& region_;
  Clocks clocks_;
};

/// Whether it is of 1, 2, 4 or 8 aligned bytes, which move as one.
[[nodiscard]] bool is_aligned_word(const Entry& access);
/// Whether two accesses to the same bytes must be ordered. `is_strict`: a put and a get of one
/// word, too.
[[nodiscard]] bool conflict(const Entry& a, const Entry& b, bool is_strict);

}  // namespace armature::races

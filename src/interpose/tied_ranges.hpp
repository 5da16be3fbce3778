#pragma once

#include <cstddef>
#include <cstdint>

#include "space/rank_heap.hpp"
#include "space/spin_lock.hpp"

namespace armature::interpose {

/// The address ranges of this process that keep ranks in it: each counts among the ties of its rank
/// as long as any of it is there.
class TiedRanges {
 public:
  constexpr TiedRanges() = default;
  TiedRanges(const TiedRanges&) = delete;
  TiedRanges& operator=(const TiedRanges&) = delete;
  ~TiedRanges() = default;

  /// Takes the place of what was noted for any of it.
  void add(const void* begin, std::size_t bytes, space::RankHeap& rank);
  /// The last rank that any of it was noted for; nullptr: none.
  space::RankHeap* remove(const void* begin, std::size_t bytes);
  /// All that begins there.
  void remove_whole(const void* begin);
  void forget();

 private:
  struct Range {
    std::uintptr_t begin, end;
    space::RankHeap* rank;
  };
  space::RankHeap* take_out(std::uintptr_t begin, std::uintptr_t end);
  void append(Range range);

  space::SpinLock lock_;
  Range* ranges_ = nullptr;  // in the process's memory
  std::size_t count_ = 0, room_ = 0;
};

}  // namespace armature::interpose

#include "interpose/tied_ranges.hpp"

#include <algorithm>
#include <mutex>

extern "C" void* __libc_realloc(void* memory, std::size_t bytes);

namespace armature::interpose {

void TiedRanges::add(const void* begin, std::size_t bytes, space::RankHeap& rank) {
  const auto from = reinterpret_cast<std::uintptr_t>(begin);
  const std::lock_guard lock(lock_);
  (void)take_out(from, from + bytes);
  append({from, from + bytes, &rank});
}

space::RankHeap* TiedRanges::remove(const void* begin, std::size_t bytes) {
  const auto from = reinterpret_cast<std::uintptr_t>(begin);
  const std::lock_guard lock(lock_);
  return take_out(from, from + bytes);
}

void TiedRanges::remove_whole(const void* begin) {
  const auto from = reinterpret_cast<std::uintptr_t>(begin);
  const std::lock_guard lock(lock_);
  for (std::size_t i = 0; i < count_; ++i)
    if (ranges_[i].begin == from) return (void)take_out(from, ranges_[i].end);
}

void TiedRanges::forget() {
  const std::lock_guard lock(lock_);
  count_ = 0;
}

/// The rest of each range, on either side, stays.
space::RankHeap* TiedRanges::take_out(std::uintptr_t begin, std::uintptr_t end) {
  space::RankHeap* last = nullptr;
  for (std::size_t i = 0; i < count_;) {
    const Range range = ranges_[i];
    if (range.end <= begin || range.begin >= end) {
      ++i;
      continue;
    }
    last = range.rank;
    ranges_[i] = ranges_[--count_];
    // The rests lie outside: the loop passes them by.
    if (range.begin < begin) append({range.begin, begin, range.rank});
    if (range.end > end) append({end, range.end, range.rank});
    range.rank->ties.mappings.fetch_sub(1, std::memory_order_release);
  }
  return last;
}

void TiedRanges::append(Range range) {
  // The rank stays for good where there is no memory for a note.
  range.rank->ties.mappings.fetch_add(1, std::memory_order_relaxed);
  if (count_ == room_) {
    const std::size_t room = std::max<std::size_t>(2 * room_, 16);
    void* const more = __libc_realloc(ranges_, room * sizeof(Range));
    if (more == nullptr) return;
    ranges_ = static_cast<Range*>(more);
    room_ = room;
  }
  ranges_[count_++] = range;
}

}  // namespace armature::interpose

// Copies of more than 2 KiB. The C library's memcpy is as fast as the machine on some processors
// and for some lengths, and far from it for others; so is every other way. So here it is only
// looked up which way the node has chosen for such a copy (copies/choice.hpp).
#include "rma/copy_large.hpp"

#include <cstddef>

#include "armature/detail/transfer.hpp"
#include "base/runtime.hpp"
#include "copies/choice.hpp"

namespace armature::detail {

namespace {

using copies::Kind;
using copies::Size;
using space::CopyChoices;

/// The limit of a process that is in no job, or on a processor of its own.
struct PastCache {
  std::size_t min = copies::past_cache_min();
};

[[gnu::noinline]] bool is_past_cache(CopyChoices* choices, std::size_t bytes) {
  if (choices == nullptr) return bytes >= base::state<PastCache>().min;
  std::uint64_t min = choices->past_cache_min.load(std::memory_order_relaxed);
  if (min == 0) {
    min = copies::past_cache_min();
    choices->past_cache_min.store(min, std::memory_order_relaxed);
  }
  return bytes >= min;
}

Size size_of(CopyChoices* choices, std::size_t bytes) {
  if (bytes <= copies::page_max) return Size::page;
  if (bytes <= copies::pages_max) return Size::pages;
  return bytes > copies::always_cached_max && is_past_cache(choices, bytes) ? Size::past_cache
                                                                            : Size::cached;
}

[[gnu::noinline]] void copy_unchosen(CopyChoices* choices, Kind kind, void* to, const void* from,
                                     std::size_t bytes) {
  if (choices != nullptr) return choose_and_copy(*choices, kind, to, from, bytes);
  candidate(copies::usual_way(kind.size == Size::past_cache)).copy(to, from, bytes);
}

}  // namespace

void copy_large(void* to, const void* from, std::size_t bytes) {
  CopyChoices* const choices = view.copies;
  const Kind kind{size_of(choices, bytes), copies::are_skewed(to, from)};
  if (choices != nullptr) [[likely]] {
    const std::uint8_t way = choices->way[kind.number()].load(std::memory_order_relaxed);
    if (way >= CopyChoices::chosen) [[likely]]
      return copies::candidates[way - std::size_t{CopyChoices::chosen}].copy(to, from, bytes);
  }
  copy_unchosen(choices, kind, to, from, bytes);
}

}  // namespace armature::detail

namespace armature::rma {

copies::Copy way_past_cache(std::size_t bytes, bool are_skewed) {
  space::CopyChoices* const choices = detail::view.copies;
  if (detail::size_of(choices, bytes) != copies::Size::past_cache) return nullptr;
  // A row is too short to be a trial: what is not chosen yet is copied in the usual way.
  const copies::Kind kind{copies::Size::past_cache, are_skewed};
  const std::uint8_t way = choices == nullptr
                               ? std::uint8_t{space::CopyChoices::open}
                               : choices->way[kind.number()].load(std::memory_order_relaxed);
  if (way < space::CopyChoices::chosen) return copies::candidate(copies::usual_way(true)).copy;
  return copies::candidates[way - std::size_t{space::CopyChoices::chosen}].copy;
}

}  // namespace armature::rma

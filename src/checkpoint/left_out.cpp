#include "checkpoint/left_out.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "armature/checkpoint_memory.hpp"
#include "armature/rank_local.hpp"
#include "base/fail.hpp"
#include "fibers/rank_fiber.hpp"
#include "fibers/rank_locals.hpp"
#include "space/page_buffer.hpp"
#include "space/virtual_segment.hpp"
#include "wait/wait.hpp"

namespace armature::checkpoints {
namespace {

constexpr std::uint64_t page_size = space::page_bytes;
constexpr std::uint64_t start_of_page(std::uint64_t at) { return at / page_size * page_size; }
constexpr std::uint64_t end_of_page(std::uint64_t at) { return start_of_page(at + page_size - 1); }

// Ranks have their ranges by this address, which is the same in all processes.
constexpr char ranges_key = 0;

/// The ranges of the calling rank, as distances from the beginning of its segment.
Ranges& own_ranges() {
  static constexpr detail::RankLocalType type = {
      .make = [](const void* /*variable*/) -> void* { return new Ranges; },
      .destroy = [](void* ranges) noexcept { delete static_cast<Ranges*>(ranges); }};
  return *static_cast<Ranges*>(detail::rank_local(&ranges_key, type));
}

/// The part of a segment that a rank may name. Below it are what the node keeps of it and its
/// stack.
std::uint64_t lowest_named(const space::Mapping& mapping, int rank) {
  return space::VirtualSegment(mapping.header()).stack_top(static_cast<std::uint64_t>(rank));
}

[[noreturn]] void refuse_memory(const char* call, const CheckpointMemory& memory, int rank,
                                const char* why) {
  base::fail(Errc::bad_argument,
             fmt::format("{}: {} bytes at {} {}: rank {} can leave out what it has allocated and "
                         "its own globals",
                         call, memory.bytes, memory.begin, why, rank));
}

/// The range of the calling rank's segment that the memory is; nothing in it: there are no bytes,
/// or ranks are not written here.
Ranges::Range own_range(const char* call, const CheckpointMemory& memory) {
  const wait::RankContext& me = wait::this_rank(call);
  const space::Mapping& mapping = wait::mapping(call);
  if (mapping.header().ranks_are_virtual == 0 || memory.bytes == 0) return {0, 0};
  const int rank = me.space.me();
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.begin) -
                     reinterpret_cast<std::uintptr_t>(mapping.segment(rank));
  if (begin >= mapping.segment_bytes() || memory.bytes > mapping.segment_bytes() - begin)
    refuse_memory(call, memory, rank, "are not all in the rank's memory");
  if (begin < lowest_named(mapping, rank))
    refuse_memory(call, memory, rank, "are on the rank's stack, or no memory of the program");
  return {begin, begin + memory.bytes};
}

}  // namespace

void Ranges::add(Range range) {
  if (range.begin >= range.end) return;
  const auto first =
      std::ranges::find_if(all_, [&](const Range& one) { return one.end >= range.begin; });
  auto last = first;
  for (; last != all_.end() && last->begin <= range.end; ++last) {
    range.begin = std::min(range.begin, last->begin);
    range.end = std::max(range.end, last->end);
  }
  all_.insert(all_.erase(first, last), range);
}

void Ranges::remove(Range range) {
  if (range.begin >= range.end) return;
  std::vector<Range> left;
  for (const Range& one : all_) {
    if (one.begin < std::min(one.end, range.begin))
      left.push_back({one.begin, std::min(one.end, range.begin)});
    if (std::max(one.begin, range.end) < one.end)
      left.push_back({std::max(one.begin, range.end), one.end});
  }
  all_ = std::move(left);
}

void LeftOut::add(const space::Mapping& mapping, int rank) {
  const fibers::RankFiber& fiber = fibers::RankFiber::of(mapping, rank);
  if (fiber.context == nullptr || fiber.state == fibers::RankFiber::State::finished) return;
  const void* const found = fibers::rank_local_of(*fiber.context, &ranges_key);
  if (found == nullptr) return;
  const std::uint64_t segment = static_cast<std::uint64_t>(rank) * mapping.segment_bytes();
  for (const Ranges::Range& one : static_cast<const Ranges*>(found)->all())
    ranges_.push_back({segment + one.begin, segment + one.end});
}

LeftOut LeftOut::between(const space::Mapping& mapping, std::uint64_t begin, std::uint64_t end) {
  LeftOut found;
  const std::uint64_t bytes = mapping.segment_bytes();
  for (int rank = static_cast<int>(
           std::min<std::uint64_t>(begin / bytes, static_cast<std::uint64_t>(mapping.ranks())));
       rank < mapping.ranks() && static_cast<std::uint64_t>(rank) * bytes < end; ++rank)
    found.add(mapping, rank);
  return found;
}

Ranges::Range LeftOut::pages_from(std::uint64_t place) const {
  auto one = std::ranges::upper_bound(ranges_, place, {}, &Ranges::Range::end);
  for (; one != ranges_.end(); ++one) {
    const std::uint64_t begin = std::max(end_of_page(one->begin), place),
                        end = start_of_page(one->end);
    if (begin < end) return {begin, end};
  }
  return {UINT64_MAX, UINT64_MAX};
}

std::uint64_t LeftOut::bytes() const {
  std::uint64_t sum = 0;
  for (const Ranges::Range& one : ranges_) sum += one.end - one.begin;
  return sum;
}

void LeftOut::copy_pages(int from, int to, std::uint64_t begin, std::uint64_t end,
                         const space::Touched& touched) const {
  const auto moved = [&](std::uint64_t at) {
    space::Touched there = touched;
    if (there.from != nullptr) there.from += at - begin;
    if (there.to != nullptr) there.to += at - begin;
    return there;
  };
  for (std::uint64_t at = begin; at < end;) {
    const auto [first, last] = pages_from(at);
    const std::uint64_t stop = std::min(first, end);
    space::copy_pages(from, to, at, stop, moved(at));
    at = std::min(last, end);
    if (stop < at) space::empty_pages(to, stop, at);
  }
}

}  // namespace armature::checkpoints

namespace armature {

void checkpoint_skip(const CheckpointMemory& memory) {
  checkpoints::own_ranges().add(checkpoints::own_range("checkpoint_skip", memory));
}

void checkpoint_keep(const CheckpointMemory& memory) {
  checkpoints::own_ranges().remove(checkpoints::own_range("checkpoint_keep", memory));
}

void checkpoint_only(const CheckpointMemory& whole, std::span<const CheckpointMemory> parts) {
  constexpr const char* call = "checkpoint_only";
  const checkpoints::Ranges::Range all = checkpoints::own_range(call, whole);
  std::vector<checkpoints::Ranges::Range> kept;
  for (const CheckpointMemory& part : parts) {
    kept.push_back(checkpoints::own_range(call, part));
    if (part.bytes != 0 && (kept.back().begin < all.begin || kept.back().end > all.end))
      base::fail(Errc::bad_argument,
                 fmt::format("{}: {} bytes at {} are no part of the {} bytes at {}", call,
                             part.bytes, part.begin, whole.bytes, whole.begin));
  }
  checkpoints::own_ranges().add(all);
  for (const checkpoints::Ranges::Range& one : kept) checkpoints::own_ranges().remove(one);
}

}  // namespace armature

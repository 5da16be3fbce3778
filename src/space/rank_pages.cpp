#include "space/rank_pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace armature::space {
namespace {

std::byte* aligned_up(std::byte* at, std::size_t alignment) {
  const auto number = reinterpret_cast<std::uintptr_t>(at);
  return reinterpret_cast<std::byte*>((number + alignment - 1) / alignment * alignment);
}

/// As pages are that nobody has touched: a mapping begins with zeros, however it was left, and can
/// be read and written.
void clear(std::byte* begin, std::byte* end) {
  const auto bytes = static_cast<std::size_t>(end - begin);
  (void)mprotect(begin, bytes, PROT_READ | PROT_WRITE);
  if (madvise(begin, bytes, MADV_REMOVE) != 0) std::memset(begin, 0, bytes);
}

}  // namespace

std::byte* RankPages::take(std::size_t bytes, std::size_t alignment) {
  for (std::size_t i = 0; i < count_; ++i) {
    const Span span = spans_[i];
    std::byte* const begin = aligned_up(span.begin, alignment);
    if (begin >= span.end || static_cast<std::size_t>(span.end - begin) < bytes) continue;
    std::copy(spans_ + i + 1, spans_ + count_, spans_ + i);
    --count_;
    // One span less and at most two more: there was room for one.
    if (begin != span.begin) insert({span.begin, begin});
    if (begin + bytes != span.end) insert({begin + bytes, span.end});
    return begin;
  }
  return nullptr;
}

void RankPages::give(std::byte* begin, std::byte* end) {
  clear(begin, end);
  insert({begin, end});
}

void RankPages::insert(Span span) {
  Span* const last = spans_ + count_;
  // Those that touch it become one with it.
  Span* const from = std::find_if(spans_, last, [&](const Span& s) { return s.end >= span.begin; });
  Span* to = from;
  for (; to != last && to->begin <= span.end; ++to)
    span = {std::min(span.begin, to->begin), std::max(span.end, to->end)};
  if (to == from) {
    std::copy_backward(from, last, last + 1);
    ++count_;
  } else {
    std::copy(to, last, from + 1);
    count_ -= static_cast<std::size_t>(to - from) - 1;
  }
  *from = span;
}

void RankPages::give_room(std::byte* begin, std::size_t bytes) {
  Span* const before = spans_;
  const std::size_t bytes_before = room_ * sizeof(Span);
  spans_ = std::copy_n(before, count_, reinterpret_cast<Span*>(begin)) - count_;
  room_ = bytes / sizeof(Span);
  if (before != nullptr)
    give(reinterpret_cast<std::byte*>(before), reinterpret_cast<std::byte*>(before) + bytes_before);
}

}  // namespace armature::space

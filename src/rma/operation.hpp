#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "armature/iov.hpp"
#include "armature/rank.hpp"
#include "rma/far_records.hpp"
#include "rma/section.hpp"

namespace armature::rma {

enum class Verb { put, get, add };

/// How an operation updates its target, and its name in messages.
struct Update {
  std::uint32_t element = no_element;  // of an accumulate, a detail::Element; else no_element
  const void* scale = nullptr;
  const char* call = "put";
};

/// A transfer as its caller describes it: which bytes on this side, which on the other, and what is
/// done with them. Nothing of how they travel: a protocol knows that (protocol.hpp).
struct Operation {
  Verb verb = Verb::put;
  Rank rank;  // the other side
  Update update;
  // One piece, which is a section without levels, or a section...
  void* to = nullptr;
  const void* from = nullptr;
  Section section;
  // ... or lists of pieces.
  std::span<const Iov> lists{};

  [[nodiscard]] const char* call() const { return update.call; }
  [[nodiscard]] bool is_list() const { return lists.data() != nullptr; }
  [[nodiscard]] bool is_one_piece() const { return !is_list() && section.levels == 0; }
  [[nodiscard]] std::size_t bytes() const { return bytes_of(section); }  // of no list
};

struct OnePiece {
  void* to;
  const void* from;
  std::size_t bytes;
};

inline Operation operation_on(Verb verb, Rank rank, const OnePiece& piece, const Update& update) {
  Operation what{.verb = verb, .rank = rank, .update = update, .to = piece.to, .from = piece.from};
  what.section.row_bytes = piece.bytes;
  return what;
}

inline Operation operation_on(Verb verb, Rank rank, std::span<const Iov> lists,
                              const Update& update) {
  return {.verb = verb, .rank = rank, .update = update, .lists = lists};
}

}  // namespace armature::rma

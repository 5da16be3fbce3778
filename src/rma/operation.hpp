#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "armature/iov.hpp"
#include "armature/rank.hpp"
#include "rma/remote_records.hpp"
#include "rma/subarray.hpp"

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
  // One piece, which is a subarray without levels, or a subarray...
  void* to = nullptr;
  const void* from = nullptr;
  Subarray subarray;
  // ... or lists of pieces.
  std::span<const Iov> lists{};

  [[nodiscard]] const char* call() const { return update.call; }
  [[nodiscard]] bool is_list() const { return lists.data() != nullptr; }
  [[nodiscard]] bool is_one_piece() const { return !is_list() && subarray.levels == 0; }
  /// The bytes that it moves, where it is no list.
  [[nodiscard]] std::size_t bytes() const {
    return subarray.levels == 0 ? subarray.row_bytes : bytes_of(subarray);
  }
};

struct OnePiece {
  void* to;
  const void* from;
  std::size_t bytes;
};

inline Operation operation_on(Verb verb, Rank rank, const OnePiece& piece, const Update& update) {
  Operation what{.verb = verb, .rank = rank, .update = update, .to = piece.to, .from = piece.from};
  what.subarray.row_bytes = piece.bytes;
  return what;
}

inline Operation operation_on(Verb verb, Rank rank, std::span<const Iov> lists,
                              const Update& update) {
  return {.verb = verb, .rank = rank, .update = update, .lists = lists};
}

/// The bytes that an operation of any shape moves.
inline std::size_t bytes_of_all(const Operation& what) {
  if (!what.is_list()) return what.bytes();
  std::size_t bytes = 0;
  for (const Iov& pieces : what.lists) bytes += pieces.bytes * pieces.to.size();
  return bytes;
}

}  // namespace armature::rma

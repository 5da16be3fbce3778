#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "team/shown.hpp"

// The properties of a round in which its members must agree, and their signature: the one word that
// each member shows.

namespace armature::team {

/// The kind of a round. Members whose signatures differ have called different collectives, or with
/// different counts.
enum class RoundKind : std::uint8_t {
  barrier,
  broadcast,
  allgather,
  gather,
  scatter,
  alltoall,
  reduce,
  allreduce,
  slices,  // of a reduction, the second round of each
  scan,
  exclusive_scan,
  agreement,  // a barrier in which members that have failed say so (agree.hpp)
  leaving     // the last barrier of a rank whose body has returned
};
[[nodiscard]] bool is_barrier(RoundKind kind);

struct Agreed {
  RoundKind kind;
  std::size_t bytes = 0;
  int root = 0;
  Shown read = {};  // by whom
};

/// `shown`: how many bytes the member shows, in which members may differ.
[[nodiscard]] std::uint64_t signature_of(const Agreed& agreed, std::size_t shown);
/// Whether two members have called the same.
[[nodiscard]] bool same_call(std::uint64_t a, std::uint64_t b);
/// Whether two members that have not called the same differ in the root alone.
[[nodiscard]] bool same_but_for_root(std::uint64_t a, std::uint64_t b);
/// "rank 3 is in a broadcast of 8 bytes".
[[nodiscard]] std::string text_of(std::uint64_t signature, std::int32_t rank);

}  // namespace armature::team

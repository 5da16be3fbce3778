#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "team/shown.hpp"
#include "team/user_call.hpp"

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
  leaving,    // the last barrier of a rank whose body has returned
  meeting     // after so many pipelined rounds; its bytes stand for what was called in them
};
[[nodiscard]] constexpr bool is_barrier(RoundKind kind) {
  return kind == RoundKind::barrier || kind == RoundKind::leaving || kind == RoundKind::agreement;
}
[[nodiscard]] constexpr bool has_root(RoundKind kind) {
  return kind == RoundKind::broadcast || kind == RoundKind::gather || kind == RoundKind::scatter ||
         kind == RoundKind::reduce;
}

struct Agreed {
  RoundKind kind;
  std::size_t bytes = 0;
  int root = 0;
  Shown read = {};  // by whom
};

/// `shown`: how many bytes the member shows, in which members may differ. `calls`: the sum of what
/// was called in pipelined rounds, a part of which takes the place of a root where there is none.
/// `part_of`: the call that the program has written.
[[nodiscard]] std::uint64_t signature_of(const Agreed& agreed, std::size_t shown, UserCall part_of,
                                         std::uint64_t calls = 0);
/// Whether two members have called the same.
[[nodiscard]] bool same_call(std::uint64_t a, std::uint64_t b);
/// Says how two ranks that have not called the same differ, in `call`, or in what it is a part of.
[[nodiscard]] std::string text_of_disagreement(std::uint64_t theirs, std::int32_t their_rank,
                                               std::uint64_t mine, std::int32_t my_rank,
                                               const char* call);

}  // namespace armature::team

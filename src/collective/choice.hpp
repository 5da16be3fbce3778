#pragma once

#include <cstddef>
#include <cstdint>

namespace armature::collective {

/// The kinds of collectives for which there are several algorithms.
enum class Kind : std::uint8_t { gather, scatter, allreduce, allgather, alltoall, reduce_scatter };

enum class Algorithm : std::uint8_t { tree, direct, doubling, halving, ring, bruck, pairs };

struct Question {
  Kind kind;
  std::size_t bytes = 0;  // of a member; of what has blocks, of one
  int members = 1;
  int nodes = 1;
  bool commutes = false;  // the operator
};
/// Gives the same answer to all members, who agree about the question.
[[nodiscard]] Algorithm choose(const Question& question);

}  // namespace armature::collective

#pragma once

#include <cstddef>

#include "team/guarded_reduction.hpp"
#include "team/pipelined_round.hpp"

namespace armature::team {

/// A scan on one node as a chain: each member takes what the one before it shows, combines that
/// with its own elements and shows the result to the next. Long scans go piece by piece, so that
/// members are busy with different pieces. Combined in team order.
class ChainedScan {
 public:
  [[nodiscard]] static bool is_for(const detail::TeamState& team,
                                   const detail::Reduction& reduction) {
    return PipelinedRound::is_for(team) && reduction.element_bytes <= Pipeline::long_bytes_max;
  }
  /// `first`: of an exclusive scan, an element that stands before all members' elements.
  ChainedScan(detail::TeamState& team, const Agreed& agreed, GuardedReduction& reduction,
              const void* first)
      : team_(team), agreed_(agreed), reduction_(reduction), first_(first) {}

  /// Members before one where the operator throws have their results all the same.
  void run(std::byte* data);

 private:
  [[nodiscard]] bool is_exclusive() const { return first_ != nullptr; }
  void piece(PipelinedRound& round, std::byte* data, std::size_t count) const;
  void combine(std::byte* room, const std::byte* before, const std::byte* data,
               std::size_t count) const;

  detail::TeamState& team_;
  const Agreed& agreed_;
  GuardedReduction& reduction_;
  const void* const first_;
};

}  // namespace armature::team

#pragma once

#include <cstddef>
#include <exception>

#include "armature/detail/collective.hpp"
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
  ChainedScan(detail::TeamState& team, const Agreed& agreed, const detail::Reduction& reduction,
              const void* first)
      : team_(team), agreed_(agreed), reduction_(reduction), first_(first) {}

  /// Throws what the operator has thrown here, and Error(remote) where it has thrown at a member
  /// before this one. Members before that one have their results.
  void run(std::byte* data);

 private:
  [[nodiscard]] bool is_exclusive() const { return first_ != nullptr; }
  void piece(PipelinedRound& round, std::byte* data, std::size_t count);
  void combine(std::byte* room, const std::byte* before, const std::byte* data, std::size_t count);

  detail::TeamState& team_;
  const Agreed& agreed_;
  const detail::Reduction& reduction_;
  const void* const first_;
  bool has_failed_ = false;  // here, or at a member before this one
  std::exception_ptr exception_;
};

}  // namespace armature::team

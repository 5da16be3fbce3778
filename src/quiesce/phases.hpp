#pragma once

#include <cstdint>
#include <functional>

#include "quiesce/phase_barrier.hpp"
#include "space/control.hpp"

namespace armature::quiesce {

/// The work of a client of the protocol while all are quiescent, in this order. What these throw is
/// told to all, and then nothing more is done but `undo`.
struct Client {
  using ByEach = std::function<void(const PhaseBarrier& barrier)>;
  /// Done by each process, when nothing is on its way any more.
  ByEach when_quiet;
  /// Done by the first process of the job, before `by_each`.
  std::function<void()> prepare;
  /// Done by each process.
  ByEach by_each;
  /// Done by the first process of the job, when all have; or where something has gone wrong.
  std::function<void()> complete, undo;
  /// Done by the first process of each node, where all went well, just before ranks go on.
  std::function<void()> at_end;
};

/// The part of the protocol that all clients have in common, step by step, each begun by nobody
/// before all have taken the one before:
///
///   1, 2  between nodes nothing is on its way any more: what was sent has been handled, and what
///         was sent for it
///   3     what processes keep of their ranks has been packed
///   4     it has been prepared, where it is to be; else for `by_each`
///   5, 6  it has been done, and is complete
///
/// Afterwards each process knows whether something has gone wrong, QuiesceState::broken; on one
/// node, the first one of it, for whom the others wait. Throws GivenUp.
void run_phases(const PhaseBarrier& barrier, space::QuiesceState& quiesce, const Client& client);

/// The last part, by all, with `number` that of the quiescence: ranks go on when the first process
/// of the node says so. QuiesceState::failed and QuiesceState::problem then tell what has gone
/// wrong, on all nodes. Throws GivenUp.
void go_on(const PhaseBarrier& barrier, space::ControlHeader& job, std::uint32_t number,
           const Client& client);

}  // namespace armature::quiesce

#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <string_view>

#include "quiesce/node_members.hpp"
#include "quiesce/poll.hpp"
#include "space/mapping.hpp"
#include "transport/service.hpp"

namespace armature::quiesce {

/// The work that processes are quiescent for is given up. They are called to go on in other
/// processes, or as they were before; or, on one node, the job ends.
class GivenUp : public std::exception {};

/// Facts of a node that its processes tell with each step, where all roll back.
struct Facts {
  std::uint32_t copy = 0;          // the last that is whole
  std::uint32_t quiesced = 0;      // the last quiescence that was wanted
  std::uint32_t has_given_up = 0;  // 1: somebody who may still be there
};

/// The processes of the job that live, on all its nodes, while they are quiescent and do something
/// together, step by step: how far each is. On a node they see it in each other's slots, the others
/// are told. One node is the case without others.
///
/// Nothing is counted, so one that dies leaves nothing uncounted. A process's word names the
/// reconfiguration that is in force (the epoch) and the quiescence in it. So nobody takes what is
/// left of an earlier one for this one. See docs/internals/quiesce.md.
class PhaseBarrier {
 public:
  /// Makes a barrier for the quiescence of that number, in the epoch that is in force.
  PhaseBarrier(const space::Mapping& mapping, int process, std::uint32_t number);
  /// Makes a barrier for entering that epoch, on several nodes with what is told of this one.
  static PhaseBarrier of_epoch(const space::Mapping& mapping, int process, std::uint32_t epoch);

  [[nodiscard]] const NodeMembers& of_node() const { return of_node_; }
  [[nodiscard]] std::uint32_t epoch() const { return epoch_; }
  /// Whether this is the first process of its node; and of the job.
  [[nodiscard]] bool leads() const { return of_node_.leads(); }
  [[nodiscard]] bool leads_all() const;

  /// This process has come so far: 1, 2, ... Release: who sees it sees what was done before.
  void reach(std::uint32_t step) const;
  /// Whether all have come at least so far; some may have gone on to the next quiescence.
  [[nodiscard]] bool all_have_passed(std::uint32_t step) const;
  // These calls wait, and throw GivenUp. On several nodes they do not return when the job ends
  // meanwhile: the process that ends it ends this one.
  /// Wait until all have, or all of this node.
  void all_reach(std::uint32_t step) const;
  void node_reaches(std::uint32_t step) const;
  /// Waits until all of this node have taken the first step, and those that are to leave: all that
  /// may still run a rank.
  void node_stands() const;
  /// Waits until what was sent from here has been handled.
  void become_quiet() const;
  template <class Condition>
  void wait_until(const Condition& condition) const {
    for (Looks looks; !condition();) {
      if (is_broken()) throw GivenUp();
      looks.look();
    }
    require_to_go_on();
  }
  void require_to_go_on() const;

  /// The greatest of the facts that all have told with the step that they have reached.
  [[nodiscard]] Facts greatest() const;

  /// Something has gone wrong: all know it, and what, when they have reached the next step. The
  /// first on each node counts: QuiesceState::broken, QuiesceState::problem.
  void tell_problem(std::string_view what) const;
  /// The checkpoint is to be of all, not of what has changed: all know it when they have reached
  /// the next step. QuiesceState::changed_since.
  void tell_whole() const;

  static const std::array<transport::Handling, 3> handlers;

 private:
  PhaseBarrier(const space::Mapping& mapping, int process, std::uint32_t epoch,
               std::uint32_t number, const Facts& facts);
  [[nodiscard]] bool has_passed(int process, std::uint32_t step) const;
  [[nodiscard]] bool node_has_passed(std::uint32_t step) const;
  [[nodiscard]] bool others_have_passed(std::uint32_t step) const;
  [[nodiscard]] bool is_broken() const;

  const space::Mapping& mapping_;
  const space::ControlHeader& job_;
  const std::uint32_t epoch_, number_;
  const int process_;
  const NodeMembers of_node_;
  const Facts facts_;
};

}  // namespace armature::quiesce

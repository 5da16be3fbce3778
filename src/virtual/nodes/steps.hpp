#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <string_view>

#include "transport/links.hpp"
#include "virtual/meeting.hpp"

namespace armature::nodes {

/// What processes stand still for is given up: one of them is lost, and the others are to go back.
class GivenUp : public std::exception {};

/// What a process tells of its node with each step, where all go back.
struct Facts {
  std::uint32_t copy = 0;          // the last that is whole
  std::uint32_t halted = 0;        // the last standing still that was wanted
  std::uint32_t has_given_up = 0;  // 1: somebody who may still be there
};

/// The processes of the job that live, on all its nodes, while they stand still: how far each is.
/// On a node they see it in each other's slots, the others are told.
class Steps {
 public:
  /// For the standing still of that number.
  Steps(const space::Mapping& mapping, int process, std::uint32_t number);
  /// For going back, without so many that are lost; the process has entered that.
  Steps(const space::Mapping& mapping, int process, std::uint32_t lost, const Facts& facts);
  /// Of this node.
  [[nodiscard]] static Facts facts_of(const space::ControlHeader& job);

  /// Whether this is the first process of its node; and of the job.
  [[nodiscard]] bool leads() const { return of_node_.leads(); }
  [[nodiscard]] bool leads_all() const;
  [[nodiscard]] const fibers::Meeting& of_node() const { return of_node_; }
  /// This process has come so far: 1, 2, ...
  void reach(std::uint32_t step) const;
  /// Whether all have.
  [[nodiscard]] bool all_have_passed(std::uint32_t step) const;
  // They wait, and do not return when the job ends meanwhile: whoever ends it ends this process.
  // Throw GivenUp.
  /// Until all have, or all of this node.
  void all_reach(std::uint32_t step) const;
  void node_reaches(std::uint32_t step) const;
  /// Until what was sent from here has been handled.
  void become_quiet() const;
  void poll_until(bool (*holds)(const void*), const void* of) const;
  template <class Condition>
  void poll_until(const Condition& condition) const {
    poll_until([](const void* it) { return (*static_cast<const Condition*>(it))(); }, &condition);
  }
  void require_to_go_on() const;

  /// Of what all have told with the step that they have reached, the greatest.
  [[nodiscard]] Facts greatest() const;

  /// Something has gone wrong: all know it, and what, when they have reached the next step. The
  /// first on each node counts: Halt::broken, Halt::problem.
  void tell_problem(std::string_view what) const;
  /// The checkpoint is to be of all, not of what has changed: all know it when they have reached
  /// the next step. Halt::changed_since.
  void tell_whole() const;

  static const std::array<transport::Handling, 3> handlers;

 private:
  Steps(const space::Mapping& mapping, int process, std::uint32_t regroup, std::uint32_t number,
        const Facts& facts);
  [[nodiscard]] bool others_have_passed(std::uint32_t step) const;

  const space::Mapping& mapping_;
  const std::uint32_t regroup_, number_;
  const fibers::Meeting of_node_;
  const Facts facts_;
};

/// Looks at the network until the condition holds. By a process none of whose ranks runs.
void poll_until(bool (*holds)(const void*), const void* of);
template <class Condition>
void poll_until(const Condition& condition) {
  poll_until([](const void* it) { return (*static_cast<const Condition*>(it))(); }, &condition);
}

}  // namespace armature::nodes

#pragma once

#include <cstdint>
#include <string_view>

#include "transport/links.hpp"
#include "virtual/meeting.hpp"

namespace armature::nodes {

/// The processes of the job, on all its nodes, while they stand still: how far each is. On a node
/// they see it in each other's slots, the others are told.
class Steps {
 public:
  /// For the standing still of that number.
  Steps(const space::Mapping& mapping, int process, std::uint32_t number);

  /// Whether this is the first process of its node.
  [[nodiscard]] bool leads() const { return of_node_.leads(); }
  /// This process has come so far: 1, 2, ...
  void reach(std::uint32_t step) const;
  /// Waits until all have, or all of this node. Does not return when the job ends meanwhile:
  /// whoever ends it ends this process.
  void all_reach(std::uint32_t step) const;
  void node_reaches(std::uint32_t step) const;

  /// Something has gone wrong: all know it, and what, when they have reached the next step. The
  /// first on each node counts: Halt::broken, Halt::problem.
  void tell_problem(std::string_view what) const;

  static void install(transport::Links& links);

 private:
  const space::Mapping& mapping_;
  const fibers::Meeting of_node_;
  const std::uint32_t number_;
};

/// Looks at the network until the condition holds. By a process none of whose ranks runs.
void poll_until(bool (*holds)(const void*), const void* of);
template <class Condition>
void poll_until(const Condition& condition) {
  poll_until([](const void* it) { return (*static_cast<const Condition*>(it))(); }, &condition);
}

}  // namespace armature::nodes

#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace armature::command {

/// A request to a job: the lower half of Resize::wanted. A plain number of processes
/// (`armature resize`) is one, with `nodes` 0.
struct NodeRequest {
  static constexpr std::uint32_t nodes_max = 127;

  bool is_more = false;  // beside what the job has; else so many in all
  std::uint32_t nodes = 0;
  std::uint32_t processes = 0;

  static NodeRequest of(std::uint32_t word) {
    return {.is_more = word >> more_bit != 0,
            .nodes = word >> nodes_bit & nodes_max,
            .processes = word & processes_max};
  }
  [[nodiscard]] std::uint32_t word() const {
    return std::uint32_t{is_more} << more_bit | nodes << nodes_bit | processes;
  }
  /// The request with a further node beside what it asks for.
  [[nodiscard]] NodeRequest with_node(std::uint32_t its_processes) const {
    NodeRequest both = *this;
    both.nodes += 1;
    both.processes += its_processes;
    return both;
  }
  /// A request for a further node, where that word stands: beside what that asks for, if it is
  /// still to be done.
  static std::uint32_t word_with_node(std::uint32_t before, bool is_pending,
                                      std::uint32_t its_processes) {
    const NodeRequest others = of(before);
    const bool adds = is_pending && others.nodes != 0 && others.nodes < nodes_max;
    return (adds ? others : NodeRequest{.is_more = true}).with_node(its_processes).word();
  }
  [[nodiscard]] std::string text() const {
    if (is_more) return fmt::format("{} more nodes with {} processes", nodes, processes);
    if (nodes == 0) return fmt::format("{}", processes);
    return fmt::format("{} on {} nodes", processes, nodes);
  }

 private:
  static constexpr int more_bit = 31, nodes_bit = 24;
  static constexpr std::uint32_t processes_max = (1u << nodes_bit) - 1;
};

}  // namespace armature::command

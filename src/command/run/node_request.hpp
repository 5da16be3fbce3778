#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "space/control_header.hpp"

namespace armature::command {

/// A request to a job: the lower half of Resize::wanted. A plain number of processes
/// (`armature resize`) is one, with `nodes` 0.
struct NodeRequest {
  static constexpr int nodes_bit = 20, more_bit = 31;
  static constexpr std::uint32_t processes_max = (1U << nodes_bit) - 1;
  static constexpr std::uint32_t nodes_max = (1U << (more_bit - nodes_bit)) - 1;

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
  /// The request for a further node, where `before` stands: beside what that asks for, if it is
  /// still to be done. Nothing where that asks for as many as can be already.
  static std::optional<NodeRequest> with_node(NodeRequest before, bool is_pending,
                                              std::uint32_t its_processes);
  [[nodiscard]] std::string text() const;
};

/// The lower half of Resize::wanted: what is asked for. It is given that half as it was, and
/// whether that is still to be done. Nothing: then nobody is asked.
using AskedWord =
    std::function<std::optional<std::uint32_t>(std::uint32_t before, bool is_pending)>;

/// Asks a job, from whichever process. Returns the number of the request. Nothing where the job is
/// about to go on elsewhere, or there is no word.
std::optional<std::uint32_t> ask(space::ControlHeader& job, const AskedWord& word);

}  // namespace armature::command

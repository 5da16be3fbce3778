#include "command/run/node_request.hpp"

#include <atomic>

#include <fmt/format.h>

#include "space/layout.hpp"
#include "wait/processes.hpp"

namespace armature::command {

static_assert(space::ranks_max <= NodeRequest::processes_max);

std::optional<NodeRequest> NodeRequest::with_node(NodeRequest before, bool is_pending,
                                                  std::uint32_t its_processes) {
  NodeRequest both = is_pending && before.nodes != 0 ? before : NodeRequest{.is_more = true};
  if (both.nodes == nodes_max || its_processes > processes_max - both.processes)
    return std::nullopt;
  both.nodes += 1;
  both.processes += its_processes;
  return both;
}

std::string NodeRequest::text() const {
  if (is_more) return fmt::format("{} more nodes with {} processes", nodes, processes);
  if (nodes == 0) return fmt::format("{}", processes);
  return fmt::format("{} on {} nodes", processes, nodes);
}

std::optional<std::uint32_t> ask(space::ControlHeader& job, const AskedWord& word) {
  std::atomic<std::uint64_t>& wanted = job.resize.wanted;
  std::uint64_t before = wanted.load(std::memory_order_acquire), next = 0;
  do {
    if ((before & space::Resize::is_closed) != 0) return std::nullopt;
    const auto number = static_cast<std::uint32_t>(before >> 32);
    const auto asked = word(static_cast<std::uint32_t>(before), !wait::is_answered(job, number));
    if (!asked) return std::nullopt;
    next = ((before >> 32) + 1) << 32 | *asked;
  } while (!wanted.compare_exchange_weak(before, next, std::memory_order_acq_rel));
  return static_cast<std::uint32_t>(next >> 32);
}

}  // namespace armature::command

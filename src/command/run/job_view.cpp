#include "command/run/job_view.hpp"

#include <algorithm>

#include "command/executable/call_places.hpp"
#include "command/explain/explain.hpp"
#include "wait/processes.hpp"

namespace armature::command {

JobView::JobView(const LaunchOptions& options, const std::vector<space::JobMemory>& memory,
                 space::Control control)
    : options_(options), memory_(memory), control_(control) {
  for (const auto& node : memory) {
    of_nodes_.push_back(space::map_control(node.control.get()));
    segment_files_.controls.push_back(node.control.get());
    for (std::uint32_t file = 0; file < header().layout.files(header().ranks); ++file)
      segment_files_.fds.push_back(node.segments[file].get());
  }
}

space::ControlHeader& JobView::header_of_rank_0() const {
  return node(control_.slot(0).node).header();
}

int JobView::process_of(int rank) const {
  if (header().is_one_process()) return 0;
  return control_.slot(rank).process.load(std::memory_order_acquire);
}

bool JobView::recovers_on_nodes() const {
  return wait::recovers_on_nodes(of_nodes_.front().header());
}

bool JobView::have_all_ended() const {
  std::uint32_t ended = 0;
  for (const space::Control& node : of_nodes_)
    ended += node.header().here.finished.load(std::memory_order_acquire);
  return ended >= header().ranks;
}

bool JobView::is_to_go_on() const {
  return of_nodes_.size() > 1 && std::ranges::any_of(of_nodes_, [](const space::Control& node) {
           return node.header().resize.restart.load(std::memory_order_acquire) ==
                  space::Restart::complete;
         });
}

std::string JobView::explanation() const {
  const Snapshot snapshot = observe(control_, segment_files_);
  Explanation explanation = explain(snapshot);
  add_call_places(explanation, snapshot);
  return text(explanation);
}

}  // namespace armature::command

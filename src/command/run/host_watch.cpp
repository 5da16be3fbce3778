#include "command/run/host_watch.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "command/node_request.hpp"
#include "command/run/console.hpp"
#include "command/run/host_file.hpp"
#include "wait/processes.hpp"

namespace armature::command {
namespace {

constexpr std::uint64_t look_ns = 100'000'000;

}  // namespace

void HostWatch::look() {
  HostFile* const file = job_.options().host_file.get();
  const std::uint64_t now_ns = base::now_ns();
  if (file == nullptr || now_ns - looked_ns_ < look_ns) return;
  looked_ns_ = now_ns;
  // Processes that end then, since ranks go on elsewhere or are done, are no nodes that have died.
  if (job_.is_to_go_on() || job_.have_all_ended()) return;
  note_answer();
  std::string problem;
  (void)file->read_again(problem);
  if (!problem.empty()) say(fmt::format("{}; what it said before holds", problem));
  ask_for_nodes();
  ask_to_leave();
}

/// An answer in this start is that they are not taken in: else the job goes on in another one. One
/// that goes back to its last checkpoint is still asked for what it was asked before.
void HostWatch::note_answer() {
  HostFile& file = *job_.options().host_file;
  const space::ControlHeader& header = job_.node(0).header();
  if (request_ == 0 && file.awaits())
    request_ =
        static_cast<std::uint32_t>(header.resize.wanted.load(std::memory_order_relaxed) >> 32);
  if (request_ == 0 || !wait::is_answered(header, request_)) return;
  request_ = 0;
  if (!file.awaits()) return;
  const std::string refusal = header.resize.refusal;
  say(fmt::format("{}: its new nodes are not taken in: {}", file.path(),
                  refusal.empty() ? "others have asked for something else" : refusal));
  file.are_refused();
}

void HostWatch::ask_for_nodes() {
  HostFile& file = *job_.options().host_file;
  auto lines = file.to_come(processes_.living_nodes());
  std::erase_if(lines, [&](const HostLine& line) {
    const int problem = line.netns.empty() ? 0 : Networks::problem_of(line.netns);
    if (problem == 0) return false;
    say(fmt::format("{}: {} does not come: netns={}: {}", file.path(), line.name, line.netns,
                    base::system_text(problem)));
    file.leave_out(line.name);
    return true;
  });
  if (lines.empty()) return;
  space::ControlHeader& header = job_.node(0).header();
  const std::uint32_t each =
      std::max(wait::hosting_processes(header) / std::max(wait::hosting_nodes(header), 1U), 1U);
  std::atomic<std::uint64_t>& wanted = header.resize.wanted;
  std::uint64_t before = wanted.load(std::memory_order_acquire), next = 0;
  do {
    const auto number = static_cast<std::uint32_t>(before >> 32);
    auto word = static_cast<std::uint32_t>(before);
    bool is_pending = !wait::is_answered(header, number);
    for (std::size_t line = 0; line < lines.size(); ++line, is_pending = true)
      word = NodeRequest::word_with_node(word, is_pending, each);
    next = std::uint64_t{number + 1} << 32 | word;
  } while (!wanted.compare_exchange_weak(before, next, std::memory_order_acq_rel));
  request_ = static_cast<std::uint32_t>(next >> 32);
  for (const HostLine& line : lines) say(fmt::format("{}: {} is to come", file.path(), line.name));
  file.are_asked_for(lines);
}

/// Not where that would be all: nobody would be left to take their ranks. They leave when others
/// have come.
void HostWatch::ask_to_leave() {
  const HostFile& file = *job_.options().host_file;
  const std::vector<int> living = processes_.living_nodes(), leave = file.to_leave(living);
  const bool are_all = !leave.empty() && leave.size() == living.size();
  if (are_all && !are_all_to_leave_)
    say(fmt::format("{}: no line names a node of the job: they stay until others have come",
                    file.path()));
  are_all_to_leave_ = are_all;
  if (are_all) return;
  for (const int node : leave) {
    if (!leaving_.insert(node).second) continue;
    say(fmt::format("{}: {} is to leave", file.path(),
                    file.nodes()[static_cast<std::size_t>(node)].name));
    // Not by a signal: one of the launcher ends a process.
    for (const LaunchedProcess& process : processes_.all())
      if (process.node == node && process.alive && !process.lost)
        processes_.node_of(process)
            .process(processes_.number_of(process))
            .wants_to_leave.store(1, std::memory_order_release);
  }
}

}  // namespace armature::command

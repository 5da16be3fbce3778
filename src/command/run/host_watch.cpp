#include "command/run/host_watch.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "command/run/console.hpp"
#include "command/run/host_file.hpp"
#include "command/run/node_request.hpp"
#include "wait/processes.hpp"

namespace armature::command {
namespace {

constexpr std::uint64_t look_ns = 100'000'000;

/// A node whose leave was refused is asked again, less and less often.
std::uint64_t next_time_ns(std::uint64_t first_ns, std::uint64_t now_ns) {
  constexpr std::uint64_t least_ns = 1'000'000'000, most_ns = 60'000'000'000;
  return now_ns + std::clamp(now_ns - first_ns, least_ns, most_ns);
}

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
  std::erase_if(lines, [&](HostLine& line) {
    const int problem = line.open_network();
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
  std::size_t fitting = 0;
  const auto number = ask(header, [&](std::uint32_t before, bool is_pending) {
    std::optional<NodeRequest> all;
    NodeRequest so_far = NodeRequest::of(before);
    for (fitting = 0; fitting < lines.size(); ++fitting) {
      const auto more = NodeRequest::with_node(so_far, is_pending || fitting > 0, each);
      if (!more) break;
      all = so_far = *more;
    }
    return all ? std::optional(all->word()) : std::nullopt;
  });
  if (!number) return;
  request_ = *number;
  lines.resize(fitting);  // the others are asked for when these have come
  for (const HostLine& line : lines) say(fmt::format("{}: {} is to come", file.path(), line.name));
  file.are_asked_for(lines);
}

/// Not where that would be all: nobody would be left to take their ranks. They leave when others
/// have come.
void HostWatch::ask_to_leave() {
  const HostFile& file = *job_.options().host_file;
  const std::vector<int> living = processes_.living_nodes(), leave = file.to_leave(living);
  std::erase_if(leaving_, [&](const auto& one) {
    const int node = one.first;
    if (std::ranges::find(leave, node) != leave.end()) return false;
    if (std::ranges::find(living, node) != living.end()) let_stay(node);
    return true;
  });
  const bool are_all = !leave.empty() && leave.size() == living.size();
  if (are_all && !are_all_to_leave_)
    say(fmt::format("{}: no line names a node of the job: they stay until others have come",
                    file.path()));
  are_all_to_leave_ = are_all;
  if (are_all) return;
  for (const int node : leave) {
    const auto [asked, is_new] = leaving_.try_emplace(node, Asked{.first_ns = looked_ns_});
    if (!is_new && (looked_ns_ < asked->second.again_ns || is_asked_to_leave(node))) continue;
    asked->second.again_ns = next_time_ns(asked->second.first_ns, looked_ns_);
    say(fmt::format("{}: {} is to leave", file.path(), name_of(node)));
    set_leaving(node, true);
  }
}

/// The node's line has come back.
void HostWatch::let_stay(int node) {
  if (is_asked_to_leave(node))
    say(fmt::format("{}: {} is to stay", job_.options().host_file->path(), name_of(node)));
  set_leaving(node, false);
}

const std::string& HostWatch::name_of(int node) const {
  return job_.options().host_file->nodes()[static_cast<std::size_t>(node)].name;
}

std::vector<std::atomic<std::uint32_t>*> HostWatch::words_of(int node) const {
  std::vector<std::atomic<std::uint32_t>*> words;
  for (const LaunchedProcess& process : processes_.all())
    if (process.node == node && process.alive && !process.lost)
      words.push_back(
          &processes_.node_of(process).process(processes_.number_of(process)).wants_to_leave);
  return words;
}

bool HostWatch::is_asked_to_leave(int node) const {
  return std::ranges::any_of(words_of(node), [](const std::atomic<std::uint32_t>* word) {
    return word->load(std::memory_order_acquire) != 0;
  });
}

/// Does what the handler of SIGTERM does in a process, which a signal of the launcher would end.
void HostWatch::set_leaving(int node, bool leaves) const {
  for (std::atomic<std::uint32_t>* word : words_of(node))
    word->store(leaves ? 1 : 0, std::memory_order_release);
}

}  // namespace armature::command

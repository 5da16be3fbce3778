#include "command/run/resize_requests.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/message.hpp"
#include "wait/processes.hpp"

namespace armature::command {

void ResizeRequests::take() {
  const space::Resize& resize = job_.header().resize;
  const std::uint64_t wanted = resize.wanted.load(std::memory_order_acquire);
  const auto number = static_cast<std::uint32_t>(wanted >> 32);
  const std::uint32_t known =
      request_ ? request_->number : resize.answered.load(std::memory_order_relaxed);
  if (number != known) request_ = Request::of(wanted);
}

void ResizeRequests::take_from_nodes() {
  numbers_.resize(job_.nodes().size());
  for (std::size_t node = 0; node < job_.nodes().size(); ++node) {
    const std::uint64_t wanted =
        job_.nodes()[node].header().resize.wanted.load(std::memory_order_acquire);
    const Request request = Request::of(wanted);
    if (std::exchange(numbers_[node], request.number) == request.number) continue;
    // A job that goes on begins with the number of a request that is done with.
    if (request.wanted.word() != 0) request_ = request;
  }
}

void ResizeRequests::take_last_from_nodes() {
  for (const space::Control& node : job_.nodes())
    node.header().resize.wanted.fetch_or(space::Resize::is_closed, std::memory_order_acq_rel);
  take_from_nodes();
}

void ResizeRequests::note_problem(const std::string& problem) {
  if (request_) request_->problem = problem;
}

std::string ResizeRequests::why_not() const {
  const space::ControlHeader& job = job_.header();
  if (job.alike.differ.load(std::memory_order_relaxed) != 0)
    return "ranks cannot move between the processes of this job: armature doctor may say why";
  if (job_.options().on_death == space::OnDeath::go_on)
    return "a job that goes on without those that have died (--on-death continue) keeps its "
           "processes";
  if (const std::string why = why_no_nodes(); !why.empty()) return why;
  const std::uint32_t processes = request_->processes(wait::hosting_processes(job));
  if (processes < 1 || processes > job.ranks)
    return fmt::format("{} processes are not possible: 1 to {}, as many as there are ranks, are",
                       processes, job.ranks);
  if (job_.have_all_ended()) return "all ranks have ended";
  return request_->problem;
}

/// Empty where it may be taken in, or no node is asked for.
std::string ResizeRequests::why_no_nodes() const {
  if (request_->wanted.nodes == 0) return {};
  if (!job_.options().elastic)
    return "this job takes in no nodes: it was not started with armature run --elastic";
  if (job_.nodes().size() == 1)
    return "this job has come down to one node, and stays there: it takes in no further ones";
  if (const std::uint32_t nodes = request_->nodes(wait::hosting_nodes(job_.header()));
      nodes > NodeRequest::nodes_max)
    return fmt::format("{} nodes are not possible: up to {} are", nodes, NodeRequest::nodes_max);
  return {};
}

void ResizeRequests::settle(std::uint32_t processes, std::uint32_t nodes) {
  if (request_ && request_->wanted.nodes != 0)
    request_->wanted = {.nodes = nodes, .processes = processes};
}

void ResizeRequests::answer(const std::string& refusal) {
  space::Resize& resize = job_.header().resize;
  base::copy_text(resize.refusal, refusal);
  resize.answered.store(request_->number, std::memory_order_release);
  request_.reset();
  wait::wake_processes(job_.control());
}

void ResizeRequests::answer_nodes(const std::string& refusal) {
  for (std::size_t node = 0; node < job_.nodes().size(); ++node) {
    space::Resize& resize = job_.nodes()[node].header().resize;
    base::copy_text(resize.refusal, refusal);
    resize.answered.store(numbers_[node], std::memory_order_release);
  }
  request_.reset();
}

std::uint64_t ResizeRequests::unanswered() const {
  const std::uint32_t last = numbers_.empty() ? 0 : numbers_.front();
  if (!request_) return std::uint64_t{last} << 32;
  return std::uint64_t{std::max(last, 1u)} << 32 | request_->wanted.word();
}

}  // namespace armature::command

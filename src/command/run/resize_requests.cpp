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
  if (number != known)
    request_ =
        Request{.number = number, .processes = static_cast<std::uint32_t>(wanted), .problem = ""};
}

void ResizeRequests::take_from_nodes() {
  numbers_.resize(job_.nodes().size());
  for (std::size_t node = 0; node < job_.nodes().size(); ++node) {
    const std::uint64_t wanted =
        job_.nodes()[node].header().resize.wanted.load(std::memory_order_acquire);
    const auto number = static_cast<std::uint32_t>(wanted >> 32);
    if (std::exchange(numbers_[node], number) == number) continue;
    request_ =
        Request{.number = number, .processes = static_cast<std::uint32_t>(wanted), .problem = ""};
  }
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
  if (request_->processes < 1 || request_->processes > job.ranks)
    return fmt::format("{} processes are not possible: 1 to {}, as many as there are ranks, are",
                       request_->processes, job.ranks);
  if (job_.have_all_ended()) return "all ranks have ended";
  return request_->problem;
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
  if (!request_) return 0;
  const std::uint32_t number = std::max(numbers_.empty() ? 0 : numbers_.front(), 1u);
  return std::uint64_t{number} << 32 | request_->processes;
}

}  // namespace armature::command

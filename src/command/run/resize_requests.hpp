#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command/run/job_view.hpp"

namespace armature::command {

/// Requests for more processes for virtual ranks, or fewer. The last request counts, and its sender
/// is answered.
class ResizeRequests {
 public:
  struct Request {
    std::uint32_t number = 0, processes = 0;
    std::string problem;
  };

  explicit ResizeRequests(const JobView& job) : job_(job) {}

  /// A new one, if there is one; on several nodes from whichever node's rank, or command.
  void take();
  void take_from_nodes();
  [[nodiscard]] const std::optional<Request>& pending() const { return request_; }
  /// Notes that it cannot be done, unless that changes.
  void note_problem(const std::string& problem);
  /// Why the pending one cannot be done; empty when it can.
  [[nodiscard]] std::string why_not() const;
  /// The pending one is done, or `refusal` says why it is not; on several nodes on all of them.
  void answer(const std::string& refusal);
  void answer_nodes(const std::string& refusal);
  /// The pending one as the job that goes on is to be told of it; 0: none is.
  [[nodiscard]] std::uint64_t unanswered() const;

 private:
  const JobView& job_;
  std::optional<Request> request_;
  std::vector<std::uint32_t> numbers_;  // by node: that of the last one that was seen
};

}  // namespace armature::command

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command/run/job_view.hpp"
#include "command/run/node_request.hpp"

namespace armature::command {

/// Requests for more processes for virtual ranks, or fewer. The last request counts, and its sender
/// is answered.
class ResizeRequests {
 public:
  struct Request {
    std::uint32_t number = 0;
    NodeRequest wanted;
    std::string problem;

    static Request of(std::uint64_t word) {
      return {.number = static_cast<std::uint32_t>((word & ~space::Resize::is_closed) >> 32),
              .wanted = NodeRequest::of(static_cast<std::uint32_t>(word)),
              .problem = {}};
    }
    /// The processes or nodes that the job is to have, where it has so many.
    [[nodiscard]] std::uint32_t processes(std::size_t now) const {
      return wanted.processes + (wanted.is_more ? static_cast<std::uint32_t>(now) : 0);
    }
    [[nodiscard]] std::uint32_t nodes(std::size_t now) const {
      const bool is_total = wanted.nodes != 0 && !wanted.is_more;
      return wanted.nodes + (is_total ? 0 : static_cast<std::uint32_t>(now));
    }
  };

  explicit ResizeRequests(const JobView& job) : job_(job) {}

  /// A new one, if there is one; on several nodes from whichever node's rank, or command.
  void take();
  void take_from_nodes();
  /// Takes those of several nodes for the last time: later ones are refused a place, and ask the
  /// job that goes on from here.
  void take_last_from_nodes();
  [[nodiscard]] const std::optional<Request>& pending() const { return request_; }
  /// Notes that it cannot be done, unless that changes.
  void note_problem(const std::string& problem);
  /// Why the pending one cannot be done; empty when it can.
  [[nodiscard]] std::string why_not() const;
  /// The job goes on for the pending one, in so many processes and nodes: these are what it asks
  /// for, from now on.
  void settle(std::uint32_t processes, std::uint32_t nodes);
  /// The pending one is done, or `refusal` says why it is not; on several nodes on all of them.
  void answer(const std::string& refusal);
  void answer_nodes(const std::string& refusal);
  /// The pending one as the job that goes on is to be told of it. Without one it is asked for
  /// nothing, and goes on with the numbers.
  [[nodiscard]] std::uint64_t unanswered() const;

 private:
  [[nodiscard]] std::string why_no_nodes() const;

  const JobView& job_;
  std::optional<Request> request_;
  std::vector<std::uint32_t> numbers_;  // by node: that of the last one that was seen
};

}  // namespace armature::command

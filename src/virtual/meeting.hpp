#pragma once

#include <cstdint>
#include <vector>

#include "base/interleaving.hpp"
#include "space/mapping.hpp"

namespace armature::fibers {

/// Whether processes regroup, and whatever ranks do until then will not have been.
inline bool goes_back(const space::ControlHeader& job) {
  return job.halt.is_to_regroup() &&
         job.halt.regroup_as.load(std::memory_order_acquire) == space::Regroup::go_back;
}

/// The processes of the job, on this node, while they stand still and do something together. Each
/// says in its own slot how far it is: nothing is counted, so one that dies leaves nothing
/// uncounted. Then all are called to regroup, and what they had begun is given up.
class Meeting {
 public:
  /// The processes that are of the job with that regrouping, for what has that number among
  /// meetings of theirs.
  Meeting(const space::Mapping& mapping, int process, std::uint32_t regroup, std::uint32_t number);

  [[nodiscard]] const std::vector<int>& members() const { return members_; }
  /// Which of them this one is; the first one leads.
  [[nodiscard]] std::uint64_t place() const { return place_; }
  [[nodiscard]] bool leads() const { return place_ == 0; }
  [[nodiscard]] bool is_member() const { return place_ < members_.size(); }

  /// This process has come so far: 1, 2, ...
  void reach(std::uint32_t step) const;
  /// Waits until all, or all but the leader, or the leader alone, have come so far. False when that
  /// will not be: they are called to regroup, the job ends, or all ranks have left it.
  [[nodiscard]] bool all_reach(std::uint32_t step) const;
  /// Whether all have come at least so far; some may have gone on to the next meeting.
  [[nodiscard]] bool all_have_passed(std::uint32_t step) const;
  /// The first step, by members and by those who are to leave: whoever may still run a rank.
  [[nodiscard]] bool all_stand() const;
  [[nodiscard]] bool others_reach(std::uint32_t step) const;
  [[nodiscard]] bool leader_reaches(std::uint32_t step) const;

  template <class Condition>
  [[nodiscard]] bool wait(Condition condition) const {
    while (!condition()) {
      if (is_broken()) return false;
      base::pause_for_others(50'000);
    }
    return true;
  }

  /// Their parts of the bands' file, in whole bands; the last one also has what lies behind them.
  struct Share {
    std::uint64_t begin = 0, end = 0;
  };
  [[nodiscard]] Share share(std::uint64_t end_of_file) const;

 private:
  [[nodiscard]] bool is_broken() const;
  [[nodiscard]] bool has_reached(int process, std::uint32_t step) const;

  const space::Mapping& mapping_;
  const space::ControlHeader& job_;
  const std::uint32_t regroup_, number_;
  const int process_;
  std::vector<int> members_;
  std::uint64_t place_ = UINT64_MAX;
};

}  // namespace armature::fibers

#pragma once

#include <cstdint>
#include <vector>

#include "command/trace/recorded.hpp"

namespace armature::command {

/// How much of the time each rank computed, in intervals of one length from the first event to the
/// last.
struct Loads {
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::vector<std::vector<double>> of_ranks;  // of each rank the intervals: 0 to 1
};

/// Virtual ranks compute in their turns, others whenever they do not wait.
[[nodiscard]] Loads loads_over_time(const Recorded& recorded, std::size_t intervals);

/// A number for each pair of ranks.
class Matrix {
 public:
  explicit Matrix(std::size_t ranks) : ranks_(ranks), values_(ranks * ranks) {}
  [[nodiscard]] std::size_t ranks() const { return ranks_; }
  [[nodiscard]] double at(std::size_t from, std::size_t to) const {
    return values_[from * ranks_ + to];
  }
  /// Does nothing where a number is none of a rank.
  void add(int from, int to, double value) {
    if (from >= 0 && to >= 0 && static_cast<std::size_t>(from) < ranks_ &&
        static_cast<std::size_t>(to) < ranks_)
      values_[static_cast<std::size_t>(from) * ranks_ + static_cast<std::size_t>(to)] += value;
  }
  [[nodiscard]] double most() const;
  /// Sums, with `by` neighbours taken as one.
  [[nodiscard]] Matrix in_groups(std::size_t by) const;

 private:
  std::size_t ranks_;
  std::vector<double> values_;
};

/// One more than the highest number of a rank, at most `most`.
[[nodiscard]] std::size_t ranks_in(const Recorded& recorded, std::size_t most);
/// How often each rank called each other one.
[[nodiscard]] Matrix calls_between(const Recorded& recorded, std::size_t ranks);
/// For how many seconds each rank waited for each other one.
[[nodiscard]] Matrix waits_between(const Recorded& recorded, std::size_t ranks);

}  // namespace armature::command

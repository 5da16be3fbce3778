#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "armature/balance.hpp"

namespace armature::balance {

/// A plan in the making, and what each place has by it.
class Loads {
 public:
  explicit Loads(const Problem& problem) : Loads(problem, none(problem)) {}
  Loads(const Problem& problem, Plan plan)
      : problem_(problem), plan_(std::move(plan)), of_(static_cast<std::size_t>(problem.places)) {
    for (std::size_t i = 0; i < plan_.size(); ++i) at(plan_[i]) += problem.items[i].load;
  }

  [[nodiscard]] double of(int place) const { return of_[static_cast<std::size_t>(place)]; }
  [[nodiscard]] double mean() const {
    return std::accumulate(of_.begin(), of_.end(), 0.0) / static_cast<double>(of_.size());
  }
  [[nodiscard]] int most() const {
    return static_cast<int>(std::max_element(of_.begin(), of_.end()) - of_.begin());
  }
  [[nodiscard]] int least() const {
    return static_cast<int>(std::min_element(of_.begin(), of_.end()) - of_.begin());
  }
  void move(std::size_t item, int place) {
    at(plan_[item]) -= problem_.items[item].load;
    at(place) += problem_.items[item].load;
    plan_[item] = place;
  }
  [[nodiscard]] const Plan& plan() const { return plan_; }
  /// Items by place.
  [[nodiscard]] std::vector<std::vector<std::size_t>> items() const {
    std::vector<std::vector<std::size_t>> all(of_.size());
    for (std::size_t i = 0; i < plan_.size(); ++i)
      all[static_cast<std::size_t>(plan_[i])].push_back(i);
    return all;
  }

 private:
  double& at(int place) { return of_[static_cast<std::size_t>(place)]; }

  const Problem& problem_;
  Plan plan_;
  std::vector<double> of_;
};

/// Load so much above the mean is balance enough.
inline constexpr double tolerance = 1.03;

/// Throws Error(bad_argument) for what is no problem.
void check(const Problem& problem);

}  // namespace armature::balance

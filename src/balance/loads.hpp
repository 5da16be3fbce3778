#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "armature/balance.hpp"

namespace armature::balance {

/// A plan in the making, and how long each place takes by it.
class Loads {
 public:
  explicit Loads(const Problem& problem) : Loads(problem, none(problem)) {}
  Loads(const Problem& problem, Plan plan)
      : problem_(problem), plan_(std::move(plan)), of_(static_cast<std::size_t>(problem.places)) {
    for (std::size_t i = 0; i < plan_.size(); ++i) at(plan_[i]) += seconds(i, plan_[i]);
  }

  [[nodiscard]] double of(int place) const { return of_[static_cast<std::size_t>(place)]; }
  [[nodiscard]] double speed(int place) const {
    return problem_.speeds.empty() ? 1 : problem_.speeds[static_cast<std::size_t>(place)];
  }
  /// How long that item takes there.
  [[nodiscard]] double seconds(std::size_t item, int place) const {
    return problem_.items[item].load / speed(place);
  }
  /// At a place of speed 1.
  [[nodiscard]] double all() const {
    double sum = 0;
    for (int place = 0; place < problem_.places; ++place) sum += of(place) * speed(place);
    return sum;
  }
  [[nodiscard]] double mean() const {
    const auto& speeds = problem_.speeds;
    return all() / (speeds.empty() ? static_cast<double>(of_.size())
                                   : std::accumulate(speeds.begin(), speeds.end(), 0.0));
  }
  [[nodiscard]] int most() const {
    return static_cast<int>(std::max_element(of_.begin(), of_.end()) - of_.begin());
  }
  [[nodiscard]] int least() const {
    return static_cast<int>(std::min_element(of_.begin(), of_.end()) - of_.begin());
  }
  void move(std::size_t item, int place) {
    at(plan_[item]) -= seconds(item, plan_[item]);
    at(place) += seconds(item, place);
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

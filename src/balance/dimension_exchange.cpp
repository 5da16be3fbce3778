#include "armature/dimension_exchange.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

namespace armature::detail {
namespace {

/// Items that are so small a part of the mean go together: a place that has nothing needs no more
/// than about twice that many bundles.
constexpr double parts_of_mean = 16;
/// Times that differ by less are as good as equal.
constexpr double least_difference = 0.005;

/// A step of a trade: at most one bundle of each side goes to the other.
struct Step {
  double difference = 0;  // afterwards
  std::size_t from_low = SIZE_MAX, from_high = SIZE_MAX;
};

/// The bundles that go from the place with the lower number to the other, and from that to it. Both
/// compute them from the same offers, and come to the same.
class Trade {
 public:
  Trade(const ExchangeOffer& low, int low_place, const ExchangeOffer& high, int high_place)
      : low_(low),
        high_(high),
        places_{low_place, high_place},
        goes_{std::vector<bool>(low.bundles.size()), std::vector<bool>(high.bundles.size())},
        per_load_(1 / low.speed + 1 / high.speed),
        difference_(low.time() - high.time()) {}

  void run(double enough) {
    while (std::fabs(difference_) > enough) {
      const Step step = best();
      if (std::fabs(difference_) - std::fabs(step.difference) < enough) return;
      if (step.from_low != SIZE_MAX) goes_[0][step.from_low] = true;
      if (step.from_high != SIZE_MAX) goes_[1][step.from_high] = true;
      low_gained_ += gains_of_low(step);
      high_gained_ += gains_of_high(step);
      difference_ = step.difference;
    }
  }
  [[nodiscard]] const std::vector<bool>& from_low() const { return goes_[0]; }
  [[nodiscard]] const std::vector<bool>& from_high() const { return goes_[1]; }

 private:
  /// The number of bundles not its own that the place would have more by.
  [[nodiscard]] int gains_of_low(const Step& step) const {
    return foreign(high_, step.from_high, places_[0]) - foreign(low_, step.from_low, places_[0]);
  }
  [[nodiscard]] int gains_of_high(const Step& step) const {
    return foreign(low_, step.from_low, places_[1]) - foreign(high_, step.from_high, places_[1]);
  }
  static int foreign(const ExchangeOffer& from, std::size_t bundle, int place) {
    return bundle != SIZE_MAX && from.bundles[bundle].home != place ? 1 : 0;
  }
  [[nodiscard]] bool has_room(const Step& step) const {
    return low_gained_ + gains_of_low(step) <= static_cast<int>(low_.room) &&
           high_gained_ + gains_of_high(step) <= static_cast<int>(high_.room);
  }
  void take_better(Step& best, const Step& step) const {
    if (std::fabs(step.difference) < std::fabs(best.difference) && has_room(step)) best = step;
  }
  [[nodiscard]] Step best() const {
    Step best{.difference = difference_};
    for (std::size_t j = 0; j < high_.bundles.size(); ++j)
      if (!goes_[1][j])
        take_better(
            best, {.difference = difference_ + per_load_ * high_.bundles[j].load, .from_high = j});
    for (std::size_t i = 0; i < low_.bundles.size(); ++i) {
      if (goes_[0][i]) continue;
      const double without = difference_ - per_load_ * low_.bundles[i].load;
      take_better(best, {.difference = without, .from_low = i});
      for (std::size_t j = 0; j < high_.bundles.size(); ++j)
        if (!goes_[1][j])
          take_better(best, {.difference = without + per_load_ * high_.bundles[j].load,
                             .from_low = i,
                             .from_high = j});
    }
    return best;
  }

  const ExchangeOffer &low_, &high_;
  const int places_[2];
  std::vector<bool> goes_[2];
  const double per_load_;  // that goes from one to the other, the difference changes by so much
  double difference_;
  int low_gained_ = 0, high_gained_ = 0;
};

bool is_same(const Bundle& one, const Bundle& other) {
  return one.home == other.home && one.number == other.number;
}

}  // namespace

DimensionExchange::DimensionExchange(int place, int places, double mean,
                                     const std::vector<double>& loads, double fixed, double speed)
    : place_(place), places_(places), mean_(mean), speed_(speed), load_(fixed) {
  const double small = (mean * speed - fixed) / parts_of_mean;
  for (std::uint32_t item = 0; item < loads.size(); ++item) {
    const double load = loads[item];
    if (load <= 0) continue;  // it stays
    load_ += load;
    if (bundles_.empty() || bundles_.back().load + load > small) {
      bundles_.push_back({.home = place, .number = static_cast<std::uint32_t>(items_.size())});
      items_.emplace_back();
    }
    bundles_.back().load += load;
    items_.back().push_back(item);
  }
}

int DimensionExchange::rounds(int places) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(places - 1)));
}

std::size_t DimensionExchange::offered_max(int places) {
  return 4 + static_cast<std::size_t>(rounds(places));
}

std::size_t DimensionExchange::held_max(int places) { return 32 + 2 * offered_max(places); }

/// The first sweep goes by single bits. In the others lower bits differ, too, so that a place meets
/// others each time. The masks of a sweep reach all places: they are the rows of a triangular
/// matrix.
int DimensionExchange::partner(int sweep, int round) const {
  const std::uint32_t mixed = (static_cast<std::uint32_t>(sweep * 32 + round)) * 0x9e37'79b9U;
  const std::uint32_t lower = sweep == 0 ? 0 : (mixed >> 7) & ((1U << round) - 1);
  const int other = place_ ^ static_cast<int>(1U << round | lower);
  return other < places_ ? other : -1;
}

std::size_t DimensionExchange::foreign() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(bundles_, [&](const Bundle& one) { return one.home != place_; }));
}

ExchangeOffer DimensionExchange::offer() {
  const std::size_t count = std::min(offered_max(places_), bundles_.size());
  ExchangeOffer all{.load = load_,
                    .room = static_cast<std::uint32_t>(held_max(places_) - foreign()),
                    .bundles = {},
                    .speed = speed_};
  std::ranges::sort(bundles_, [](const Bundle& one, const Bundle& other) {
    return std::tuple(one.load, one.home, one.number) <
           std::tuple(other.load, other.home, other.number);
  });
  const std::size_t shift = offers_++;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = bundles_.size() * i / count, next = bundles_.size() * (i + 1) / count;
    all.bundles.push_back(bundles_[first + (shift + i) % (next - first)]);
  }
  return all;
}

void DimensionExchange::trade(const ExchangeOffer& mine, const ExchangeOffer& theirs, int other) {
  most_known_ = std::max(most_known_, foreign() + theirs.bundles.size() + 2);
  if (std::max(mine.time(), theirs.time()) <= tolerance * mean_) return;
  const bool is_low = place_ < other;
  Trade both(is_low ? mine : theirs, std::min(place_, other), is_low ? theirs : mine,
             std::max(place_, other));
  both.run(least_difference * mean_);
  const std::vector<bool>& gives = is_low ? both.from_low() : both.from_high();
  const std::vector<bool>& gets = is_low ? both.from_high() : both.from_low();
  for (std::size_t i = 0; i < gives.size(); ++i) {
    if (!gives[i]) continue;
    std::erase_if(bundles_, [&](const Bundle& one) { return is_same(one, mine.bundles[i]); });
    load_ -= mine.bundles[i].load;
  }
  for (std::size_t i = 0; i < gets.size(); ++i) {
    if (!gets[i]) continue;
    bundles_.push_back(theirs.bundles[i]);
    load_ += theirs.bundles[i].load;
  }
  most_known_ = std::max(most_known_, foreign() + 2);
}

}  // namespace armature::detail

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "armature/detail/export.hpp"

// Balancing without anybody who knows all loads, by dimension exchange (G. Cybenko, Dynamic load
// balancing for distributed memory multiprocessors, 1989). Places are the corners of a hypercube.
// In round k each place meets one whose number differs in bit k, and both share their load so that
// they take as equally long as some of their items allow. After a sweep over all bits load has come
// from any place to any other.

namespace armature::detail {

/// Items of one place that go together, as far as a stranger knows them.
struct Bundle {
  std::int32_t home = 0;     // where they are
  std::uint32_t number = 0;  // of the bundle there
  double load = 0;
};

/// The word of one place to the other of a round.
struct ExchangeOffer {
  double load = 0;              // all that it would have
  std::uint32_t room = 0;       // for so many further bundles
  std::vector<Bundle> bundles;  // that it may give, or some of them
  double speed = 1;

  [[nodiscard]] double time() const { return load / speed; }
};

/// One place of that, and what it would have. It knows its own items, the offer of one partner, and
/// the bundles of others that would come: in all O(log n) loads of others, with n places.
class ARMATURE_API DimensionExchange {
 public:
  /// A time so much above the mean is balance enough.
  static constexpr double tolerance = 1.03;
  static constexpr int sweeps_max = 400;

  /// `loads` of its own items, and the time `mean` that all places would take if they were alike.
  /// `fixed` is load that never leaves. All load takes a place longer that is slower than 1.
  DimensionExchange(int place, int places, double mean, const std::vector<double>& loads,
                    double fixed = 0, double speed = 1);

  /// The rounds of a sweep.
  [[nodiscard]] static int rounds(int places);
  /// Limits the loads of others that a place knows: 2 * bundles_offered + bundles_held and two.
  [[nodiscard]] static std::size_t offered_max(int places);
  [[nodiscard]] static std::size_t held_max(int places);

  /// Whom it meets in that round of that sweep; -1: nobody.
  [[nodiscard]] int partner(int sweep, int round) const;
  /// Returns its word there: bundles of all sizes, others each time.
  [[nodiscard]] ExchangeOffer offer();
  /// Both have said so: does its part of what both conclude from that.
  void trade(const ExchangeOffer& mine, const ExchangeOffer& theirs, int other);

  /// The time that it would take, with what is fixed.
  [[nodiscard]] double time() const { return load_ / speed_; }
  /// All that would be here in the end, of whatever home.
  [[nodiscard]] const std::vector<Bundle>& bundles() const { return bundles_; }
  /// The items of a bundle of its own.
  [[nodiscard]] const std::vector<std::uint32_t>& items(std::uint32_t bundle) const {
    return items_[bundle];
  }
  /// The most loads of others that it has known at once.
  [[nodiscard]] std::size_t most_known() const { return most_known_; }

 private:
  [[nodiscard]] std::size_t foreign() const;

  const int place_, places_;
  const double mean_, speed_;
  double load_ = 0;
  std::vector<Bundle> bundles_;
  std::vector<std::vector<std::uint32_t>> items_;  // of each bundle of its own
  std::size_t most_known_ = 0;
  std::size_t offers_ = 0;  // so far
};

/// Whether a further sweep may help, by the longest time after each. All places see the same.
class Sweeps {
 public:
  explicit Sweeps(double mean) : mean_(mean) {}

  /// The number of the sweep that is made next.
  [[nodiscard]] int number() const { return count_ - 1; }
  [[nodiscard]] bool go_on(double most) {
    const bool is_better = most < 0.999 * least_;
    least_ = is_better ? most : least_;
    in_vain_ = is_better ? 0 : in_vain_ + 1;
    return ++count_ <= DimensionExchange::sweeps_max && in_vain_ < 4 &&
           most > DimensionExchange::tolerance * mean_;
  }

 private:
  const double mean_;
  double least_ = 1e300;
  int count_ = 0, in_vain_ = 0;
};

}  // namespace armature::detail

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <unordered_map>
#include <utility>
#include <vector>

#include "armature/balance.hpp"
#include "armature/collectives.hpp"
#include "armature/dimension_exchange.hpp"
#include "armature/rmi.hpp"
#include "armature/shared.hpp"

// The strategy `distributed` by messages: no member knows more than O(log n) loads of others.

namespace armature::detail {

/// One member's ear: offers of others, by sweep and round, and where its own items are to go.
class Exchanger {
 public:
  explicit Exchanger(std::size_t items) : to_(items, -1) {}

  void take(int when, double load, std::uint32_t room, std::vector<Bundle> bundles) {
    offers_[when] = {.load = load, .room = room, .bundles = std::move(bundles), .speed = 1};
  }
  /// A bundle of this member's is to go to that one.
  void tell(std::uint32_t bundle, int member) {
    for (const std::uint32_t item : exchange_->items(bundle)) to_[item] = member;
  }

  /// The exchange whose bundles others tell of. It outlives all that they tell.
  void set(const DimensionExchange& exchange) { exchange_ = &exchange; }
  /// Waits for what a partner says then.
  [[nodiscard]] ExchangeOffer await(int when) {
    while (!offers_.contains(when)) rmi_wait();
    ExchangeOffer offer = std::move(offers_.at(when));
    offers_.erase(when);
    return offer;
  }
  [[nodiscard]] const balance::Plan& to() const { return to_; }

 private:
  const DimensionExchange* exchange_ = nullptr;
  std::unordered_map<int, ExchangeOffer> offers_;
  balance::Plan to_;  // the member of each item; -1: it stays
};

struct DistributedPlan {
  balance::Plan to = {};  // of each item of this member
  balance::Verdict before = {}, after = {};
  std::size_t items = 0;       // of all members
  std::size_t most_known = 0;  // loads of others, by one member at once
};

/// Collective: where the items of this member go, by their loads. Begins and ends with a fence.
inline DistributedPlan plan_distributed(const Team& team, const std::vector<double>& loads) {
  const auto most_of = [&](double load) {
    return allreduce(team, load, [](double a, double b) { return std::max(a, b); });
  };
  DistributedPlan plan;
  double mine = 0;
  for (const double load : loads) mine += load;
  plan.before.mean = allreduce(team, mine) / team.size();
  plan.before.most = plan.after.most = most_of(mine);
  plan.after.mean = plan.before.mean;
  plan.items = allreduce(team, loads.size());
  DimensionExchange place(team.rank(), team.size(), plan.before.mean, loads);
  shared<Exchanger> all(team, loads.size());
  all->set(place);
  rmi_fence(team);
  const int rounds = DimensionExchange::rounds(team.size());
  for (Sweeps sweeps(plan.before.mean); sweeps.go_on(plan.after.most);) {
    for (int round = 0; round < rounds; ++round) {
      const int partner = place.partner(sweeps.number(), round);
      if (partner < 0) continue;
      const int when = sweeps.number() * rounds + round;
      const ExchangeOffer offer = place.offer();
      all.async(team.world_rank(partner), &Exchanger::take, when, offer.load, offer.room,
                offer.bundles);
      place.trade(offer, all->await(when), partner);
    }
    plan.after.most = most_of(place.time());
  }
  for (const Bundle& bundle : place.bundles())
    all.async(team.world_rank(bundle.home), &Exchanger::tell, bundle.number, team.rank());
  rmi_fence(team);
  plan.to = all->to();
  std::size_t moved = 0;
  for (int& to : plan.to) {
    if (to < 0) to = team.rank();
    moved += to != team.rank() ? 1 : 0;
  }
  plan.after.moved = allreduce(team, moved);
  plan.most_known = allreduce(team, place.most_known(),
                              [](std::size_t a, std::size_t b) { return std::max(a, b); });
  return plan;
}

inline void log(const DistributedPlan& plan) {
  const auto of_ideal = [](const balance::Verdict& one) {
    return one.most > 0 ? 100 * one.mean / one.most : 100;
  };
  std::fprintf(stderr,
               "balance: %zu of %zu move; %.0f %% of ideal before, %.0f %% after; nobody knew more "
               "than %zu loads of others\n",
               plan.after.moved, plan.items, of_ideal(plan.before), of_ideal(plan.after),
               plan.most_known);
}

}  // namespace armature::detail

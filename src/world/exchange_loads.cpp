#include "world/exchange_loads.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "armature/collectives.hpp"
#include "armature/dimension_exchange.hpp"
#include "armature/rmi.hpp"
#include "armature/shared.hpp"
#include "world/gather_first.hpp"

namespace armature::hosting {
namespace {

using armature::detail::Bundle;
using armature::detail::DimensionExchange;
using armature::detail::ExchangeOffer;

/// A process, and the rank that speaks for it: one that is in it, where there is one.
struct SpokenFor {
  std::int32_t process = 0;
  std::int32_t speaker = -1;
};

/// One rank's ear, for what others tell it.
class Ear {
 public:
  // As a speaker: by the ranks of its process.
  void take_load(int rank, double seconds, bool stays) {
    if (stays)
      fixed_ += seconds;
    else
      ranks_.emplace_back(rank, seconds);
  }
  // By another speaker, when they meet; and by one to whom a bundle of this one's goes.
  void take_offer(int when, double load, double speed, std::uint32_t room,
                  std::vector<Bundle> bundles) {
    offers_[when] = {.load = load, .room = room, .bundles = std::move(bundles), .speed = speed};
  }
  void take_bundle(std::uint32_t bundle, int place) { bundles_.emplace_back(bundle, place); }
  // As any rank: by its speaker.
  void take_place(int place) { place_ = place; }

  [[nodiscard]] ExchangeOffer await(int when) {
    while (!offers_.contains(when)) rmi_wait();
    ExchangeOffer offer = std::move(offers_.at(when));
    offers_.erase(when);
    return offer;
  }
  /// Calls come in any order: with the ranks in theirs all that follows is the same every time.
  void sort() { std::ranges::sort(ranks_); }
  [[nodiscard]] double fixed() const { return fixed_; }
  [[nodiscard]] const std::vector<std::pair<int, double>>& ranks() const { return ranks_; }
  [[nodiscard]] const std::vector<std::pair<std::uint32_t, int>>& bundles() const {
    return bundles_;
  }
  [[nodiscard]] int place() const { return place_; }

 private:
  double fixed_ = 0;
  std::vector<std::pair<int, double>> ranks_;
  std::unordered_map<int, ExchangeOffer> offers_;
  std::vector<std::pair<std::uint32_t, int>> bundles_;  // its own, and where they go
  int place_ = -1;
};

/// Rank 0 finds a speaker for each process, and tells all.
std::vector<SpokenFor> find_speakers(const World& world, int process,
                                     const std::vector<int>& processes) {
  const std::vector<std::int32_t> of_ranks = gather_first(world, std::int32_t{process});
  std::vector<SpokenFor> places(broadcast(world, processes.size(), 0));
  std::vector<int> speak_for_none;
  for (std::size_t place = 0; place < processes.size(); ++place)
    places[place].process = processes[place];
  for (int rank = 0; rank < static_cast<int>(of_ranks.size()); ++rank) {
    SpokenFor& place = *std::ranges::lower_bound(places, of_ranks[static_cast<std::size_t>(rank)],
                                                 {}, &SpokenFor::process);
    if (place.speaker < 0)
      place.speaker = rank;
    else
      speak_for_none.push_back(rank);
  }
  // There are at most as many processes as ranks.
  for (SpokenFor& place : places)
    if (place.speaker < 0 && !speak_for_none.empty()) {
      place.speaker = speak_for_none.back();
      speak_for_none.pop_back();
    }
  broadcast<SpokenFor>(world, places, 0);
  return places;
}

double greatest(const World& world, double mine) {
  return allreduce(world, mine, [](double a, double b) { return std::max(a, b); });
}

/// The exchange as one rank takes part in it.
class LoadExchange {
 public:
  LoadExchange(const World& world, const OwnLoad& mine, std::vector<SpokenFor> places)
      : world_(world), mine_(mine), places_(std::move(places)), ears_(world) {
    const int me = world.rank();
    for (int place = 0; place < count(); ++place) {
      if (places_[static_cast<std::size_t>(place)].process == mine.process) home_ = place;
      if (places_[static_cast<std::size_t>(place)].speaker == me) speaks_for_ = place;
    }
  }

  ExchangedPlan run() {
    find_speeds();
    ears_.async(speaker(home_), &Ear::take_load, world_.rank(), mine_.seconds * speed_,
                mine_.stays);
    rmi_fence(world_);
    ears_->sort();
    ExchangedPlan plan;
    begin(plan);
    exchange(plan);
    tell(plan);
    return plan;
  }

 private:
  [[nodiscard]] int count() const { return static_cast<int>(places_.size()); }
  [[nodiscard]] Rank speaker(int place) const {
    return Rank(places_[static_cast<std::size_t>(place)].speaker);
  }
  [[nodiscard]] bool speaks() const { return speaks_for_ >= 0; }
  /// The speed of the process for which it speaks: its own, or one where nobody is.
  [[nodiscard]] double speed_of_place() const { return speaks_for_ == home_ ? speed_ : 1; }

  void find_speeds() {
    const double fastest_rate = greatest(world_, mine_.processor.rate);
    const double speed = speed_of(mine_.processor, fastest_rate);
    const double fastest = greatest(world_, speed), slowest = -greatest(world_, -speed);
    speed_ = are_alike(slowest, fastest) ? 1 : as_told(speed, fastest);
  }

  void begin(ExchangedPlan& plan) {
    double here = ears_->fixed();
    std::vector<double> loads;
    for (const auto& [rank, seconds] : ears_->ranks()) {
      loads.push_back(seconds);
      here += seconds;
    }
    const double speed = speaks() ? speed_of_place() : 0;
    mean_ = allreduce(world_, here) / allreduce(world_, speed);
    plan.before.most = greatest(world_, speaks() ? here / speed : 0);
    plan.before.mean = plan.after.mean = mean_;
    if (speaks()) place_.emplace(speaks_for_, count(), mean_, loads, ears_->fixed(), speed);
  }

  void exchange(ExchangedPlan& plan) {
    const int rounds = DimensionExchange::rounds(count());
    plan.after.most = plan.before.most;
    for (armature::detail::Sweeps sweeps(mean_); sweeps.go_on(plan.after.most);) {
      for (int round = 0; place_ && round < rounds; ++round) {
        const int partner = place_->partner(sweeps.number(), round);
        if (partner < 0) continue;
        const int when = sweeps.number() * rounds + round;
        const ExchangeOffer offer = place_->offer();
        ears_.async(speaker(partner), &Ear::take_offer, when, offer.load, offer.speed, offer.room,
                    offer.bundles);
        place_->trade(offer, ears_->await(when), partner);
      }
      plan.after.most = greatest(world_, place_ ? place_->time() : 0);
    }
    plan.most_known = static_cast<std::size_t>(
        greatest(world_, place_ ? static_cast<double>(place_->most_known()) : 0));
  }

  /// Speakers tell where bundles have gone, and then their ranks where these go.
  void tell(ExchangedPlan& plan) {
    if (place_)
      for (const Bundle& bundle : place_->bundles())
        if (bundle.home != speaks_for_)
          ears_.async(speaker(bundle.home), &Ear::take_bundle, bundle.number, speaks_for_);
    rmi_fence(world_);
    for (const auto& [bundle, place] : ears_->bundles())
      for (const std::uint32_t item : place_->items(bundle))
        ears_.async(Rank(ears_->ranks()[item].first), &Ear::take_place, place);
    rmi_fence(world_);
    const int place = ears_->place();
    plan.to = place < 0 ? mine_.process : places_[static_cast<std::size_t>(place)].process;
    plan.after.moved = allreduce(world_, std::size_t{plan.to != mine_.process ? 1U : 0U});
  }

  const World& world_;
  const OwnLoad& mine_;
  const std::vector<SpokenFor> places_;
  shared<Ear> ears_;
  int home_ = 0, speaks_for_ = -1;
  double speed_ = 1, mean_ = 0;
  std::optional<DimensionExchange> place_;
};

}  // namespace

ExchangedPlan exchange_loads(const World& world, const OwnLoad& mine,
                             const std::vector<int>& processes) {
  LoadExchange exchange(world, mine, find_speakers(world, mine.process, processes));
  return exchange.run();
}

std::string text_of(const ExchangedPlan& plan, int ranks) {
  const auto of_ideal = [](const balance::Verdict& one) {
    return one.most > 0 ? 100 * one.mean / one.most : 100;
  };
  return fmt::format(
      "balance: {} of {} move; {:.0f} % of ideal before, {:.0f} % after; nobody knew more than {} "
      "loads of other processes",
      plan.after.moved, ranks, of_ideal(plan.before), of_ideal(plan.after), plan.most_known);
}

}  // namespace armature::hosting

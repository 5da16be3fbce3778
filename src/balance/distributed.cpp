// The plan to which places come that exchange loads two by two, without anybody who knows all of
// them (armature/dimension_exchange.hpp). Here all places are in one memory, for recorded
// problems and for ranks, whose loads rank 0 has anyway. Members of an object array do the same by
// messages.
#include <vector>

#include "armature/dimension_exchange.hpp"
#include "balance/loads.hpp"

namespace armature::balance {
namespace {

using detail::DimensionExchange;

std::vector<DimensionExchange> places_of(const Problem& problem, const Loads& before,
                                         const std::vector<std::vector<std::size_t>>& items) {
  std::vector<DimensionExchange> places;
  places.reserve(items.size());
  for (int place = 0; place < problem.places; ++place) {
    std::vector<double> loads;
    for (const std::size_t item : items[static_cast<std::size_t>(place)])
      loads.push_back(problem.items[item].load);
    places.emplace_back(place, problem.places, before.mean(), loads, 0.0, before.speed(place));
  }
  return places;
}

void sweep(std::vector<DimensionExchange>& places, int number) {
  const int count = static_cast<int>(places.size());
  for (int round = 0; round < DimensionExchange::rounds(count); ++round)
    for (int place = 0; place < count; ++place) {
      DimensionExchange& one = places[static_cast<std::size_t>(place)];
      const int partner = one.partner(number, round);
      if (partner <= place) continue;
      DimensionExchange& other = places[static_cast<std::size_t>(partner)];
      const detail::ExchangeOffer here = one.offer(), there = other.offer();
      one.trade(here, there, partner);
      other.trade(there, here, place);
    }
}

}  // namespace

Plan distributed(const Problem& problem) {
  const Loads before(problem);
  const auto items = before.items();
  std::vector<DimensionExchange> places = places_of(problem, before, items);
  const auto most = [&] {
    return std::ranges::max_element(places, {}, &DimensionExchange::time)->time();
  };
  for (detail::Sweeps sweeps(before.mean()); sweeps.go_on(most());) sweep(places, sweeps.number());
  Plan plan = none(problem);
  for (int place = 0; place < problem.places; ++place)
    for (const detail::Bundle& bundle : places[static_cast<std::size_t>(place)].bundles()) {
      const auto home = static_cast<std::size_t>(bundle.home);
      for (const std::uint32_t item : places[home].items(bundle.number))
        plan[items[home][item]] = place;
    }
  return plan;
}

bool is_distributed(const Strategy& strategy) {
  using Function = Plan (*)(const Problem&);
  const Function* const function = strategy.target<Function>();
  return function != nullptr && *function == &distributed;
}

}  // namespace armature::balance

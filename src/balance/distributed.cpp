// A plan that could be made without anybody knowing all. Places that have less than the mean, which
// one reduction tells everyone, send word of it to a few others. These are chosen by chance and
// pass it on. After some rounds everyone knows some of them. Places that have more then give items
// away to those they know of, rather to who misses much. Several may give to the same one: a second
// and third turn sets that right. Compared with knowing all it needs messages of constant size.
#include <cmath>
#include <optional>

#include "balance/loads.hpp"

namespace armature::balance {
namespace {

class Chance {
 public:
  std::uint64_t below(std::uint64_t bound) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return (state_ >> 8) % bound;
  }
  double unit() { return static_cast<double>(below(1U << 30)) / (1U << 30); }

 private:
  std::uint64_t state_ = 0x9e37'79b9'7f4a'7c15;
};

/// Each place keeps so many places in mind; among them some miss much.
constexpr std::size_t known_max = 64;

/// Beginning anywhere, that not all hear of the same ones.
void hear(std::vector<int>& known, const std::vector<int>& told, Chance& chance) {
  std::size_t at = chance.below(told.size());
  for (std::size_t left = told.size(); left > 0 && known.size() < known_max; --left) {
    if (std::ranges::find(known, told[at]) == known.end()) known.push_back(told[at]);
    at = (at + 1) % told.size();
  }
}

/// Lists for each place those with little load that it has heard of.
std::vector<std::vector<int>> gossip(const Loads& loads, int places, double mean, Chance& chance) {
  std::vector<std::vector<int>> known(static_cast<std::size_t>(places));
  for (int place = 0; place < places; ++place)
    if (loads.of(place) < mean) known[static_cast<std::size_t>(place)].push_back(place);
  const int rounds = 1 + static_cast<int>(std::ceil(std::log2(places)));
  for (int round = 0; round < rounds; ++round) {
    const auto before = known;
    for (const auto& told : before)
      for (int others = told.empty() ? 0 : 2; others > 0; --others)
        hear(known[chance.below(static_cast<std::uint64_t>(places))], told, chance);
  }
  return known;
}

/// Picks one of those of which this is believed, the more probably the more it misses; none when
/// none misses anything.
std::optional<std::size_t> pick(const std::vector<double>& believed, double mean, Chance& chance) {
  double all = 0;
  for (const double load : believed) all += std::max(0.0, mean - load);
  double at = all * chance.unit();
  for (std::size_t i = 0; i < believed.size(); ++i) {
    const double misses = std::max(0.0, mean - believed[i]);
    if (misses > 0 && (at -= misses) <= 0) return i;
  }
  return std::nullopt;
}

}  // namespace

Plan distributed(const Problem& problem) {
  Loads loads(problem);
  const double mean = loads.mean();
  Chance chance;
  for (int turn = 0; turn < 4; ++turn) {
    const auto known = gossip(loads, problem.places, mean, chance);
    const auto items = loads.items();
    std::vector<double> begin;
    for (int place = 0; place < problem.places; ++place) begin.push_back(loads.of(place));
    for (int from = 0; from < problem.places; ++from) {
      const auto& others = known[static_cast<std::size_t>(from)];
      std::vector<double> believed;  // nobody hears meanwhile what others give
      for (const int place : others) believed.push_back(begin[static_cast<std::size_t>(place)]);
      double has = begin[static_cast<std::size_t>(from)];
      for (const std::size_t item : items[static_cast<std::size_t>(from)]) {
        if (has <= mean * tolerance) break;
        const auto to = pick(believed, mean, chance);
        if (!to) break;
        const double load = problem.items[item].load;
        double& there = believed[*to];
        if (load <= 0 || there + load >= has) continue;  // no better there
        there += load;
        has -= load;
        loads.move(item, others[*to]);
      }
    }
  }
  return loads.plan();
}

}  // namespace armature::balance

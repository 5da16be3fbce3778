#include "simulation/prediction.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace armature::simulation {
namespace {

double seconds(Picoseconds time) { return static_cast<double>(time) * 1e-12; }

std::string readable(double seconds) {
  if (seconds >= 1) return fmt::format("{:.4g} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.4g} ms", seconds * 1e3);
  return fmt::format("{:.4g} us", seconds * 1e6);
}

}  // namespace

Prediction sum_up(int ranks, const TimedSimulator& simulator, const TimedNetwork& network) {
  Prediction sum{.ranks = ranks};
  for (int rank = 0; rank < ranks; ++rank) {
    const TimedSimulator::Account& account = simulator.account(rank);
    sum.time_s = std::max(sum.time_s, seconds(account.finished));
    sum.computed_max_s = std::max(sum.computed_max_s, seconds(account.computed));
    sum.computed_mean_s += seconds(account.computed) / ranks;
    sum.waited_mean_s += seconds(account.waited) / ranks;
    sum.messages += network.traffic(rank).messages;
    sum.bytes += network.traffic(rank).bytes;
  }
  return sum;
}

std::string to_text(const Prediction& p) {
  return fmt::format(
      "predicted: {} on {} ranks; a rank computes {} (at most {}) and waits {}, in the mean; "
      "{} messages of {} bytes in all",
      readable(p.time_s), p.ranks, readable(p.computed_mean_s), readable(p.computed_max_s),
      readable(p.waited_mean_s), p.messages, p.bytes);
}

std::string to_json(const Prediction& p) {
  return fmt::format(
      "{{\"ranks\": {}, \"time_s\": {:.12g}, \"computed_mean_s\": {:.12g}, \"computed_max_s\": "
      "{:.12g}, \"waited_mean_s\": {:.12g}, \"messages\": {}, \"bytes\": {}}}\n",
      p.ranks, p.time_s, p.computed_mean_s, p.computed_max_s, p.waited_mean_s, p.messages, p.bytes);
}

}  // namespace armature::simulation

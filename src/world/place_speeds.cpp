#include "world/place_speeds.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "base/runtime.hpp"
#include "topology/processor_share.hpp"

namespace armature::hosting {
namespace {

/// A slower one than that is not told apart from it.
constexpr double speed_min = 0.02;
constexpr double as_fast = 0.85;

struct Measured {
  std::mutex lock;
  topology::ProcessorShare share;
  std::uint64_t number = 0;
  Processor last;
};

std::size_t index(int process) { return static_cast<std::size_t>(process); }

}  // namespace

Processor measure_processor(std::uint64_t number) {
  auto& measured = base::state<Measured>();
  const std::scoped_lock locked(measured.lock);
  if (measured.number != number) {
    measured.number = number;
    measured.last.share = measured.share.since_last(topology::own_processor_time());
    measured.last.rate = topology::processor_rate();
  }
  return measured.last;
}

void PlaceSpeeds::take(int process, const Processor& processor) {
  if (told_.size() <= index(process)) told_.resize(index(process) + 1);
  Told& told = told_[index(process)];
  told.share += processor.share;
  told.rate += processor.rate;
  ++told.count;
}

std::vector<double> PlaceSpeeds::of(const std::vector<int>& processes) {
  known_.resize(std::max({known_.size(), told_.size(), index(std::ranges::max(processes)) + 1}),
                Processor{.share = 1, .rate = 0});
  for (std::size_t process = 0; process < known_.size(); ++process) {
    Processor& known = known_[process];
    const Told told = process < told_.size() ? told_[process] : Told();
    if (told.count > 0)
      known = {.share = told.share / told.count, .rate = told.rate / told.count};
    else  // Nobody is there to be slow: who was there is forgotten little by little.
      known.share = (1 + known.share) / 2;
  }
  double fastest_rate = 0;
  for (const int process : processes)
    fastest_rate = std::max(fastest_rate, known_[index(process)].rate);
  std::vector<double> speeds;
  for (const int process : processes) {
    const Processor& known = known_[index(process)];
    const double rate =
        known.rate > 0 && known.rate < as_fast * fastest_rate ? known.rate / fastest_rate : 1;
    speeds.push_back(std::max(known.share * rate, speed_min));
  }
  const double fastest = std::ranges::max(speeds);
  if (std::ranges::min(speeds) >= as_fast * fastest) return {};
  // Few different ones: slow places that are nearly as fast are alike, and a small difference from
  // the fastest is chance, whatever others are.
  for (double& speed : speeds)
    speed = speed >= as_fast * fastest
                ? 1
                : std::max(std::round(speed / fastest / speed_min) * speed_min, speed_min);
  return speeds;
}

}  // namespace armature::hosting

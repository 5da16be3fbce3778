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
/// A processor that has had nothing to do for a moment may be clocked down, and is not slow. So
/// what counts is how fast it was lately, of which each time a little is forgotten.
constexpr double forgets = 0.95;

struct Measured {
  std::mutex lock;
  topology::ProcessorShare share;
  std::uint64_t number = 0;
  double rate = 0;
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
    measured.rate = std::max(topology::processor_rate(), forgets * measured.rate);
    measured.last.rate = measured.rate;
  }
  return measured.last;
}

double speed_of(const Processor& processor, double fastest_rate) {
  const double rate = processor.rate > 0 && processor.rate < as_fast * fastest_rate
                          ? processor.rate / fastest_rate
                          : 1;
  return std::max(processor.share * rate, speed_min);
}

bool are_alike(double slowest, double fastest) { return slowest >= as_fast * fastest; }

/// Slow places that are nearly as fast are alike, and a small difference from the fastest is
/// chance, whatever others are.
double as_told(double speed, double fastest) {
  if (are_alike(speed, fastest)) return 1;
  return std::max(std::round(speed / fastest / speed_min) * speed_min, speed_min);
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
  for (const int process : processes)
    speeds.push_back(speed_of(known_[index(process)], fastest_rate));
  const double fastest = std::ranges::max(speeds);
  if (are_alike(std::ranges::min(speeds), fastest)) return {};
  for (double& speed : speeds) speed = as_told(speed, fastest);
  return speeds;
}

}  // namespace armature::hosting

#pragma once

#include <cstdint>
#include <string>

#include "simulation/timed_network.hpp"

namespace armature::simulation {

/// The result of a run that was simulated with costs; times in seconds.
struct Prediction {
  int ranks = 0;
  double time_s = 0;  // until the last rank has finished
  double computed_mean_s = 0, computed_max_s = 0;
  double waited_mean_s = 0;
  std::uint64_t messages = 0, bytes = 0;
};

[[nodiscard]] Prediction sum_up(int ranks, const TimedSimulator& simulator,
                                const TimedNetwork& network);
/// In a line for people, and in one of JSON.
[[nodiscard]] std::string to_text(const Prediction& prediction);
[[nodiscard]] std::string to_json(const Prediction& prediction);

/// The variable that names the file that the line of JSON goes to.
inline constexpr const char* prediction_file_variable = "ARMATURE_PREDICTION_FILE";

}  // namespace armature::simulation

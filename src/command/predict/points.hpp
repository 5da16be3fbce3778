#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace armature::command::predict {

/// A program's predicted time on so many ranks, in seconds, and what it comes from.
struct Point {
  std::uint32_t ranks = 0;
  double time_s = 0;
  double work_s = 0;       // a rank's computing, in the mean
  double imbalance_s = 0;  // by which the rank that computes most exceeds that
  double latency_s = 0;    // what less it would take were latency, overhead and gap 0
  double bandwidth_s = 0;  // what less it would take with a bandwidth of 1 TB/s
  std::uint64_t messages = 0, bytes = 0;

  /// The largest of these four, by name.
  [[nodiscard]] const char* limit() const;
};

/// The words of the program, and what messages cost it.
struct Program {
  std::vector<std::string> words;
  std::string network;
};

/// Simulates the program on so many ranks three times. Throws Error(start) with what it has said
/// when it fails.
[[nodiscard]] Point predict(const Program& program, std::uint32_t ranks);

/// Draws time and its parts against ranks, both logarithmic, as SVG. Each time says what limits it.
[[nodiscard]] std::string draw(const std::vector<Point>& points, const std::string& title);

}  // namespace armature::command::predict

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "armature/balance.hpp"
#include "command/run/launch_options.hpp"
#include "space/control.hpp"

namespace armature::command {

/// Every so often, without a word of the program, on one node: which process each virtual rank is
/// to be in, by what ranks have computed since the last time. All quiesce for a move, so it must
/// save more until the next time than the last one took.
class Rebalancing {
 public:
  Rebalancing(const LaunchOptions& options, space::Control control);

  /// The time at which it wants to look; 0: never.
  [[nodiscard]] std::uint64_t next_ns() const;
  /// Whether ranks are to move, among these processes: then their slots say where (goes_to), and a
  /// line has said why.
  [[nodiscard]] bool plan(const std::vector<int>& processes, std::uint64_t now_ns);
  /// Notes that ranks have moved, and how long nobody ran.
  void have_moved(std::uint64_t took_ns, std::uint64_t now_ns);

 private:
  [[nodiscard]] balance::Problem measure(const std::vector<int>& processes);
  [[nodiscard]] bool is_worth_it(const balance::Problem& problem, const balance::Plan& plan);
  void reset();
  [[nodiscard]] std::uint64_t every_ns() const;

  const LaunchOptions& options_;
  const space::Control control_;
  std::vector<std::uint64_t> busy_ns_;  // of each rank, at the last look
  double cost_s_ = 1e-3;                // of a move, as far as is known
};

}  // namespace armature::command

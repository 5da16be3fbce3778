#pragma once

#include <optional>
#include <vector>

#include "space/levels.hpp"

namespace armature::command {

/// The hardware threads of one core that this process may use.
using Core = std::vector<int>;

/// The machine as hwloc knows it. It looks when it is asked for the first time. Where the
/// environment tells hwloc of another machine (HWLOC_SYNTHETIC, HWLOC_XMLFILE), it is that one.
class Machine {
 public:
  /// Whether it is the machine that this process runs on.
  [[nodiscard]] bool is_this_one();
  /// The cores this process may use, of another machine all; neighbours next to each other. Empty
  /// when hwloc cannot tell.
  [[nodiscard]] const std::vector<Core>& cores() { return known().cores; }
  /// The place of whoever is bound to these hardware threads, in some node: -1 where they are of
  /// several cores and so on.
  [[nodiscard]] space::Place place_of(const std::vector<int>& threads);

 private:
  struct Known {
    std::vector<Core> cores;
    std::vector<space::Place> of_threads;  // by number
    bool is_this_one = true;
  };
  static Known look();
  const Known& known();

  std::optional<Known> known_;
};

}  // namespace armature::command

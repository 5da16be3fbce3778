#include "space/write_levels.hpp"

#include <map>
#include <utility>

namespace armature::space {
namespace {

/// Numbers the domains of one level: by the domain of the level above, and the number there.
class Numbers {
 public:
  std::int32_t of(std::int32_t above, std::int32_t inside) {
    const auto next = static_cast<std::int32_t>(numbers_.size());
    return numbers_.try_emplace({above, inside}, next).first->second;
  }
  [[nodiscard]] std::int32_t count() const { return static_cast<std::int32_t>(numbers_.size()); }

 private:
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> numbers_;
};

}  // namespace

void write_levels(const Control& control, const std::vector<Place>& places) {
  Numbers switches, sockets, numas, caches, cores;
  int number = 0;
  for (const Place& place : places) {
    Levels& levels = control.process(number++).levels;
    levels.network_switch = switches.of(0, place.network_switch);
    levels.node = place.node;
    levels.socket = sockets.of(place.node, place.socket);
    levels.numa = numas.of(levels.socket, place.numa);
    levels.cache = caches.of(levels.numa, place.cache);
    levels.core = cores.of(levels.cache, place.core);
  }
  control.header().here.levels = {.network_switch = switches.count(),
                                  .node = control.header().nodes,
                                  .socket = sockets.count(),
                                  .numa = numas.count(),
                                  .cache = caches.count(),
                                  .core = cores.count()};
}

std::vector<Place> places_by_nodes(const Control& control) {
  const ControlHeader& job = control.header();
  std::vector<Place> places;
  if (job.ranks_are_virtual != 0)
    for (int process = 0; process < static_cast<int>(job.processes); ++process)
      places.push_back({.node = control.process(process).node});
  else
    for (int rank = 0; rank < static_cast<int>(job.ranks); ++rank)
      places.push_back({.node = control.slot(rank).node});
  return places;
}

void write_own_levels(const Control& control, int process) {
  ControlHeader& job = control.header();
  ProcessSlot& slot = control.process(process);
  Levels& levels = slot.levels;
  levels = {.network_switch = 0,
            .node = slot.node,
            .socket = job.here.levels.socket++,
            .numa = job.here.levels.numa++,
            .cache = job.here.levels.cache++,
            .core = job.here.levels.core++};
  for (int other = 0; other < static_cast<int>(job.processes); ++other)
    if (other != process && control.process(other).node == slot.node)
      levels.network_switch = control.process(other).levels.network_switch;
}

}  // namespace armature::space

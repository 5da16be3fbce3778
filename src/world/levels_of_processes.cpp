#include "world/levels_of_processes.hpp"

#include <set>
#include <utility>

namespace armature::hosting {

std::vector<std::vector<int>> levels_of(const space::Control& control,
                                        const std::vector<int>& processes) {
  using space::Levels;
  std::vector<std::vector<int>> levels;
  std::size_t above = 1;  // domains of the last level taken
  for (const auto level :
       {&Levels::network_switch, &Levels::node, &Levels::socket, &Levels::numa, &Levels::cache}) {
    std::vector<int> of_places;
    for (const int process : processes) of_places.push_back(control.process(process).levels.*level);
    const std::size_t domains = std::set<int>(of_places.begin(), of_places.end()).size();
    if (domains <= above) continue;
    above = domains;
    levels.push_back(std::move(of_places));
  }
  return levels;
}

}  // namespace armature::hosting

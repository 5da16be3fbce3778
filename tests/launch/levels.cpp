// Says what domains there are of each level, and in which each rank is. Virtual ranks say, too,
// which levels a plan of rebalance is given.
#include <cstdio>
#include <string>

#include "armature/armature.hpp"
#include "armature/rebalance.hpp"

namespace {

using armature::Domain;

constexpr struct {
  Domain level;
  const char* name;
} levels[] = {{Domain::network_switch, "switch"}, {Domain::node, "node"},
              {Domain::socket, "socket"},         {Domain::numa, "numa"},
              {Domain::cache, "cache"},           {Domain::core, "core"}};

void tell_domains(const armature::World& world) {
  for (const auto& [level, name] : levels) {
    std::string domains;
    for (int rank = 0; rank < world.size(); ++rank)
      domains += " " + std::to_string(armature::domain_of(level, armature::Rank(rank)));
    std::printf("%s %d:%s\n", name, armature::domain_count(level), domains.c_str());
  }
}

void tell_levels(const armature::balance::Problem& problem) {
  for (const auto& level : problem.levels) {
    std::string groups;
    for (const int group : level) groups += " " + std::to_string(group);
    std::printf("level%s\n", groups.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    if (world.rank() == 0) tell_domains(world);
    const auto strategy = [](const armature::balance::Problem& problem) {
      tell_levels(problem);
      return armature::balance::none(problem);
    };
    for (int time = 0; time < 2; ++time) (void)armature::rebalance(world, {.strategy = strategy});
    return 0;
  });
}

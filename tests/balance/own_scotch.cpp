// A program that has a Scotch of its own, of another width than the one in our library. Both work,
// each with its own numbers, and its own word on errors.
#include <cstdint>
#include <cstdio>
#include <vector>

// Scotch's header needs the types of the headers above.
#include <scotch.h>

#include <armature/balance.hpp>

namespace {

int errors = 0;

armature::balance::Problem ring(int items) {
  armature::balance::Problem problem{.places = 2};
  for (int i = 0; i < items; ++i) {
    problem.items.push_back({.load = 1, .place = i % 2});
    problem.links.push_back({.a = static_cast<std::size_t>(i),
                             .b = static_cast<std::size_t>((i + 1) % items),
                             .weight = 1});
  }
  return problem;
}

/// How many links of a ring its partition cuts, by the program's Scotch.
int cut_of_ring(SCOTCH_Num items) {
  std::vector<SCOTCH_Num> first, to, part(static_cast<std::size_t>(items));
  for (SCOTCH_Num i = 0; i < items; ++i) {
    first.push_back(2 * i);
    to.push_back((i + items - 1) % items);
    to.push_back((i + 1) % items);
  }
  first.push_back(2 * items);
  SCOTCH_Graph graph;
  SCOTCH_Strat strat;
  SCOTCH_graphInit(&graph);
  SCOTCH_stratInit(&strat);
  SCOTCH_graphBuild(&graph, 0, items, first.data(), nullptr, nullptr, nullptr, 2 * items, to.data(),
                    nullptr);
  SCOTCH_graphPart(&graph, 2, &strat, part.data());
  if (SCOTCH_stratGraphMap(&strat, "no strategy") != 0) ++errors;
  SCOTCH_stratExit(&strat);
  SCOTCH_graphExit(&graph);
  int cut = 0;
  for (std::size_t i = 0; i < part.size(); ++i)
    cut += part[i] != part[(i + 1) % part.size()] ? 1 : 0;
  return cut;
}

}  // namespace

extern "C" void SCOTCH_errorPrint(const char*, ...) { errors += 10; }
extern "C" void SCOTCH_errorPrintW(const char*, ...) {}
extern "C" void SCOTCH_errorProg(const char*) {}

int main() {
  static_assert(sizeof(SCOTCH_Num) == 4);
  const auto problem = ring(64);
  for (int round = 0; round < 2; ++round) {
    if (armature::balance::judge(problem, armature::balance::communication(problem)).cut != 2) {
      std::puts("ours is wrong");
      return 1;
    }
    if (cut_of_ring(64) != 2) {
      std::puts("the program's is wrong");
      return 1;
    }
  }
  std::printf("both cut two links, %d errors\n", errors);
  return errors >= 22 ? 0 : 1;
}

// Scotch keeps its random numbers in a global, and uses as many threads as there are cores. A
// context of our own with a fixed seed and one thread makes plans depend on the problem alone.
#include "balance/scotch/partition.hpp"

#include <scotch.h>

#include <type_traits>

// Scotch calls these when something goes wrong. Its own versions print, and one of them exits. Here
// the caller has another way, and nobody needs to hear of it.
extern "C" {
void SCOTCH_errorProg(const char* const /*name*/) {}
void SCOTCH_errorPrint(const char* const /*format*/, ...) {}
void SCOTCH_errorPrintW(const char* const /*format*/, ...) {}
}

namespace armature::balance::scotch {
namespace {

static_assert(std::is_same_v<SCOTCH_Num, std::int64_t>);

/// One of Scotch's objects, from its init to its exit.
template <class Object, int (*init)(Object*), void (*exit)(Object*)>
class Owned {
 public:
  Owned() : is_there_(init(&object_) == 0) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (is_there_) exit(&object_);
  }
  [[nodiscard]] Object* get() { return &object_; }
  [[nodiscard]] bool is_there() const { return is_there_; }

 private:
  Object object_{};
  const bool is_there_;
};

using OwnedContext = Owned<SCOTCH_Context, SCOTCH_contextInit, SCOTCH_contextExit>;
using OwnedGraph = Owned<SCOTCH_Graph, SCOTCH_graphInit, SCOTCH_graphExit>;
using OwnedArch = Owned<SCOTCH_Arch, SCOTCH_archInit, SCOTCH_archExit>;
using OwnedStrat = Owned<SCOTCH_Strat, SCOTCH_stratInit, SCOTCH_stratExit>;

bool make_repeatable(SCOTCH_Context* context) {
  if (SCOTCH_contextOptionSetNum(context, SCOTCH_OPTIONNUMDETERMINISTIC, 1) != 0 ||
      SCOTCH_contextOptionSetNum(context, SCOTCH_OPTIONNUMRANDOMFIXEDSEED, 1) != 0 ||
      SCOTCH_contextRandomClone(context) != 0)
    return false;
  SCOTCH_contextRandomSeed(context, 1);
  return SCOTCH_contextThreadSpawn(context, 1, nullptr) == 0;
}

bool build(SCOTCH_Arch* arch, const Places& places) {
  if (places.groups == 1 || places.each == 1)
    return SCOTCH_archCmplt(arch, places.groups * places.each) == 0;
  const SCOTCH_Num sizes[] = {places.groups, places.each}, distances[] = {places.far, 1};
  return SCOTCH_archTleaf(arch, 2, sizes, distances) == 0;
}

}  // namespace

bool partition(const Graph& graph, const Places& places, const Before& before, double tolerance,
               std::int64_t* plan) {
  OwnedContext context;
  OwnedGraph whole, bound;
  OwnedArch arch;
  OwnedStrat strat;
  if (!context.is_there() || !whole.is_there() || !bound.is_there() || !arch.is_there() ||
      !strat.is_there() || !make_repeatable(context.get()) || !build(arch.get(), places))
    return false;
  const std::int64_t vertices = graph.vertices, ends = graph.first[vertices];
  if (SCOTCH_graphBuild(whole.get(), 0, vertices, graph.first, nullptr, graph.load, nullptr, ends,
                        graph.to, graph.weight) != 0 ||
      SCOTCH_contextBindGraph(context.get(), whole.get(), bound.get()) != 0)
    return false;
  const bool again = before.place != nullptr;
  if (SCOTCH_stratGraphMapBuild(strat.get(), again ? SCOTCH_STRATREMAP : SCOTCH_STRATDEFAULT,
                                places.groups * places.each, tolerance) != 0)
    return false;
  if (!again) return SCOTCH_graphMap(bound.get(), arch.get(), strat.get(), plan) == 0;
  // Scotch takes the present places as if it might write to them, and does not.
  return SCOTCH_graphRemap(bound.get(), arch.get(), const_cast<std::int64_t*>(before.place), 1.0,
                           before.move_cost, strat.get(), plan) == 0;
}

}  // namespace armature::balance::scotch

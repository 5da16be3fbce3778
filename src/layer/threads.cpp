#include "armature/layer/threads.hpp"

#include <fmt/format.h>

#include "base/fail.hpp"
#include "collective/engine.hpp"
#include "wait/rank_context.hpp"

namespace armature::layer {

// The engine is asked from now on: the list of those that are asked does not change while threads
// go through it.
void let_threads_call_beside_waits() {
  constexpr const char* call = "let_threads_call_beside_waits";
  wait::RankContext& me = wait::this_rank(call);
  if (!wait::runs_rank() || me.scheduler != nullptr || me.space.header().ranks_are_virtual != 0)
    base::fail(
        Errc::misuse,
        fmt::format("{}: for the own thread of a rank that has its process to itself", call));
  me.has_second_thread = true;
  collective::this_engine(call).prepare_threads();
}

}  // namespace armature::layer

#include "armature/layer/wait.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "armature/clock.hpp"
#include "base/fail.hpp"
#include "layer/work.hpp"
#include "wait/notifier.hpp"
#include "wait/ordered.hpp"
#include "wait/rank_context.hpp"
#include "wait/wait.hpp"

namespace armature::layer {
namespace {

/// Shows the words as the explanation of a hang reads them: 16 bytes, and zeros where those are
/// fewer.
void show(std::string_view words, wait::WaitFor& wait) {
  const auto part = [&](std::size_t at, auto& into) {
    if (at < words.size())
      std::memcpy(&into, words.data() + at, std::min(sizeof into, words.size() - at));
  };
  part(0, wait.object);
  part(sizeof wait.object, wait.detail);
}

}  // namespace

bool detail::wait_until(const Waiting& waiting, std::uint64_t timeout_ns,
                        bool (*holds)(void* condition), void* condition) {
  wait::require_no_handler(wait::this_rank(waiting.call), waiting.call);
  wait::WaitFor wait{.what = space::Awaiting::condition,
                     .peer = waiting.on,
                     .is_notified = waiting.is_told && timeout_ns == 0,
                     .call = waiting.call};
  show(waiting.until, wait);
  const std::uint64_t begun_ns = timeout_ns != 0 ? clock_ns() : 0;
  bool held = false;
  wait::wait_until(wait, [&] {
    held = holds(condition);
    return held || (timeout_ns != 0 && clock_ns() - begun_ns >= timeout_ns);
  });
  // A condition that held at once is one that others have made true, too.
  wait::hear_from(-1);
  return held;
}

void wake(Rank rank) {
  const space::Mapping& mapping = wait::mapping("wake");
  mapping.require_rank(rank, "wake");
  wait::notify(mapping.slot(rank));
}

void progress() {
  wait::RankContext& me = wait::this_rank("progress");
  if (!wait::runs_rank())
    base::fail(Errc::misuse, "progress: called by a thread that the program has started");
  me.deliver();
  wait::let_others_run();
}

}  // namespace armature::layer

#include "wait/connecting.hpp"

#include <unistd.h>

#include "base/clock.hpp"
#include "wait/published.hpp"

namespace armature::wait {
namespace {

bool is_starting(const space::RankSlot& slot) {
  return slot.life.load(std::memory_order_relaxed) == space::Life::starting;
}

}  // namespace

void tell_connecting(space::RankSlot& slot, int to_rank) {
  if (!is_starting(slot)) return;
  const bool goes_on = slot.wait.awaiting.load(std::memory_order_relaxed) == space::Awaiting::team;
  const std::uint64_t since_ns =
      goes_on ? slot.wait.since_ns.load(std::memory_order_relaxed) : base::now_ns();
  // The program may have been started by a script: from now on signals are for this process.
  slot.pid.store(getpid(), std::memory_order_relaxed);
  detail::publish(slot.wait, {.what = space::Awaiting::team, .peer = to_rank}, since_ns);
}

void tell_connected(space::RankSlot& slot) {
  if (is_starting(slot)) detail::publish(slot.wait, space::Awaiting::nothing, base::now_ns());
}

}  // namespace armature::wait

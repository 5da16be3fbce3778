#include "wait/gone_ranks.hpp"

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"

namespace armature::wait {

using space::AddressSpace;
using space::Life;

namespace {

/// The first rank waited for whose life is that; -1 when there is none.
int first_awaited(const AddressSpace& space, const WaitFor& wait, Life life) {
  const auto is = [&](int rank) {
    return rank >= 0 && rank < space.ranks() && rank != space.me() &&
           space.slot(rank).life.load(std::memory_order_acquire) == life;
  };
  if (is(wait.peer)) return wait.peer;
  for (std::size_t i = 0; i < wait.members.size(); ++i)
    if (is(wait.members[i]) && (wait.awaits == nullptr || wait.awaits(wait, i)))
      return wait.members[i];
  return -1;
}

}  // namespace

void GoneRanks::check(const AddressSpace& space, const WaitFor& wait, Latched& ready) {
  const space::ControlHeader& job = space.header();
  if (job.gone.left.load(std::memory_order_acquire) == 0 &&
      job.gone.deaths.load(std::memory_order_acquire) == 0)
    return;
  const bool goes_on = job.settings.on_death == space::OnDeath::go_on;
  // The order matters: a rank that leaves because of a death has seen it, so we see it too.
  const int left = first_awaited(space, wait, Life::finished);
  const int dead = goes_on ? first_awaited(space, wait, Life::dead) : -1;
  if ((!is_certain(space, left) && dead < 0) || ready.look()) return;
  if (dead >= 0) base::fail(Errc::rank_lost, fmt::format("{}: rank {} has died", wait.call, dead));
  base::fail(Errc::misuse,
             fmt::format("{}: rank {} has left the job: it will never do what this call waits for",
                         wait.call, left));
}

/// Whether a rank that has left has nothing on its way to us any more. From another node its last
/// records may come after the news that it has left, which another process of this node may have
/// heard first. In the barrier that all leave by that may be as late as they like, else it is
/// soon.
bool GoneRanks::is_certain(const AddressSpace& space, int left) {
  if (left < 0) return false;
  if (space.is_here(left)) return true;
  constexpr std::uint64_t last_records_ns = 1'000'000'000;
  const Life mine = space.slot(space.me()).life.load(std::memory_order_relaxed);
  const std::uint64_t now_ns = base::now_ns();
  if (mine != Life::running || left != left_) {
    left_ = left;
    since_ns_ = now_ns;
  }
  return mine == Life::running && now_ns - since_ns_ > last_records_ns;
}

}  // namespace armature::wait

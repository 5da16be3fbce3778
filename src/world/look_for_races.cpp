#include "world/look_for_races.hpp"

#include "armature/error.hpp"
#include "base/variable.hpp"
#include "fibers/rank_fiber.hpp"
#include "races/races.hpp"
#include "wait/rank_context.hpp"

namespace armature {

void look_for_races(const World& world, const space::AddressSpace& space) {
  const space::ControlHeader& job = space.header();
  const bool is_wanted = base::number_variable("ARMATURE_RACES").value_or(0) != 0;
  // Ranks that go back forget what they did. Simulations of processes that leave are left out, too.
  const bool is_one_course =
      job.settings.on_death != space::OnDeath::recover && job.simulation.leaves == 0;
  if (!is_wanted || !is_one_course || job.settings.check_full == 0 || job.nodes != 1 ||
      job.ranks < 2 || job.ranks > races::ranks_max)
    return;
  try {
    // Memory of the first rank, which all processes of the node have at one address.
    const auto memory = world.allocate<std::byte>(
        world.rank() == 0 ? races::Region::bytes(job.ranks) + alignof(races::Region) : 0);
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.on(0).address());
    constexpr std::uintptr_t alignment = alignof(races::Region);
    void* const region = reinterpret_cast<void*>((begin + alignment - 1) / alignment * alignment);
    if (world.rank() == 0) races::prepare(region, job.ranks);
    world.barrier();
    races::open(region, world.rank());
    // A virtual rank has it wherever it goes: a process may come later, or have no rank by now.
    if (job.ranks_are_virtual != 0)
      fibers::RankFiber::of(wait::mapping("run"), world.rank()).looked_at_in = races::region();
    world.barrier();
  } catch (const Error& error) {
    if (error.code() != Errc::out_of_memory) throw;
  }
}

}  // namespace armature

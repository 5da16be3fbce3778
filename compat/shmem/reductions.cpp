#include "reductions.hpp"

#include <armature/collectives.hpp>
#include <armature/locality.hpp>
#include <armature/operators.hpp>
#include <armature/run.hpp>

namespace shmem {

bool are_in_reach(const armature::Team& team, const void* dest, const void* source,
                  std::size_t bytes) {
  // Two barriers take less time than the copies that they save.
  constexpr std::size_t long_min = 64 << 10;
  if (bytes < long_min || team.size() == 1 || looks_for_races) return false;
  const int me = armature::world().rank();
  for (int member = 0; member < team.size(); ++member)
    if (!armature::same_node(me, team.world_rank(member))) return false;
  armature::global_ptr<const std::byte> place;
  const bool is_mine = find_place(static_cast<const std::byte*>(dest), me, place) &&
                       find_place(static_cast<const std::byte*>(source), me, place);
  // Up to here all members find the same. Memory of one may be its own, or not yet known to its
  // process, where that of others is not: then all go the other way.
  return armature::allreduce(team, is_mine ? 1 : 0, armature::Minimum{}) != 0;
}

}  // namespace shmem

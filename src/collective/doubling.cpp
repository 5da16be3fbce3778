#include "collective/algorithms.hpp"
#include "collective/combination.hpp"
#include "collective/fold.hpp"

namespace armature::collective {

void allreduce_by_doubling(Schedule& schedule, const Members& members, Place data,
                           const Elements& elements) {
  const std::size_t bytes = elements.bytes();
  const Folded folded(members);
  if (!folded.takes_part()) {
    schedule.send(folded.other_of_pair(), data, bytes);
    schedule.end();
    schedule.receive(folded.other_of_pair(), data, bytes);
    return schedule.end();
  }
  Combination all(schedule, data, true, bytes);
  if (folded.is_paired()) {
    schedule.receive(folded.other_of_pair(), all.room(), bytes);
    all.append();
    schedule.end();
  }
  for (int by = 1; by < folded.size(); by *= 2) {
    const int other = folded.number() ^ by;
    schedule.receive(folded.member(other), all.room(), bytes);
    schedule.send(folded.member(other), all.place(), bytes);
    other > folded.number() ? all.append() : all.prepend();
    schedule.end();
  }
  if (folded.is_paired()) {
    schedule.send(folded.other_of_pair(), all.place(), bytes);
  }
  schedule.copy(data, all.place(), bytes);
  schedule.end();
}

}  // namespace armature::collective

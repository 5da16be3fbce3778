#include "collective/algorithms.hpp"
#include "collective/combination.hpp"

namespace armature::collective {

void scan(Schedule& schedule, const Members& members, Prefix prefix, const Elements& elements) {
  const std::size_t bytes = elements.bytes();
  Place data = output;
  if (prefix == Prefix::exclusive) {
    data = members.me == 0 ? output : schedule.take_scratch(bytes);
    if (members.me > 0) schedule.receive(members.me - 1, data, bytes);
    if (members.me + 1 < members.size) schedule.send(members.me + 1, output, bytes);
    if (members.me == 0) schedule.fill(data, {Buffer::first}, bytes);
    schedule.end();
  }
  Combination all(schedule, data, true, bytes);
  for (int by = 1; by < members.size; by *= 2) {
    const bool comes = members.me >= by, goes = members.me + by < members.size;
    if (comes) schedule.receive(members.me - by, all.room(), bytes);
    if (goes) schedule.send(members.me + by, all.place(), bytes);
    if (comes) all.prepend();
    if (comes || goes) schedule.end_stage();
  }
  schedule.copy(output, all.place(), bytes);
  schedule.end();
}

}  // namespace armature::collective

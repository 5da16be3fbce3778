#include "collective/algorithms.hpp"

namespace armature::collective {

void allreduce_in_order(Schedule& schedule, const Members& members, const Elements& elements) {
  const std::vector<std::size_t> blocks = even_blocks(members, elements);
  const Place own = output + blocks[static_cast<std::size_t>(members.me)];
  reduce_scatter_by_pairs(schedule, members, blocks, output, own);
  allgather_by_ring(schedule, members, blocks, own);
}

// The root takes one member's data after the other, so that it needs room for one alone.
void reduce_in_order(Schedule& schedule, const Members& members, int root,
                     const Elements& elements) {
  const std::size_t bytes = elements.bytes();
  if (members.me != root) {
    schedule.send(root, input, bytes);
    return schedule.end();
  }
  const Place all = schedule.take_scratch(bytes), room = schedule.take_scratch(bytes);
  for (int member = 0; member < members.size; ++member) {
    const Place from = member == root ? input : member == 0 ? all : room;
    if (member != root) schedule.receive(member, from, bytes);
    if (member == 0)
      schedule.copy(all, from, bytes);
    else
      schedule.combine(all, from, bytes);
    schedule.end();
  }
  schedule.copy(output, all, bytes);
  schedule.end();
}

void scan_in_order(Schedule& schedule, const Members& members, Prefix prefix,
                   const Elements& elements) {
  const std::size_t bytes = elements.bytes();
  const bool is_inclusive = prefix == Prefix::inclusive;
  const Place before = schedule.take_scratch(bytes), all = schedule.take_scratch(bytes);
  const bool has_before = members.me > 0 || !is_inclusive;
  if (members.me > 0) schedule.receive(members.me - 1, before, bytes);
  if (members.me == 0 && !is_inclusive) schedule.fill(before, {Buffer::first}, bytes);
  schedule.copy(all, has_before ? before : output, bytes);
  if (has_before) schedule.combine(all, output, bytes);
  schedule.copy(output, is_inclusive ? all : before, bytes);
  schedule.end();
  if (members.me + 1 < members.size) schedule.send(members.me + 1, all, bytes);
  schedule.end();
}

}  // namespace armature::collective

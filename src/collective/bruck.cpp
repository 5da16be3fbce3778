#include <algorithm>

#include "collective/algorithms.hpp"

namespace armature::collective {
namespace {

std::size_t blocks_of(int count, std::size_t block) {
  return static_cast<std::size_t>(count) * block;
}

}  // namespace

// The member's own block is first in the scratch memory, then those of the members behind it.
void allgather_by_bruck(Schedule& schedule, const Members& members, std::size_t block) {
  const auto blocks = [block](int count) { return blocks_of(count, block); };
  const Place all = schedule.take_scratch(blocks(members.size));
  schedule.copy(all, input, block);
  schedule.end();
  for (int has = 1; has < members.size; has *= 2) {
    const int more = std::min(has, members.size - has);
    schedule.receive(members.behind(has), all + blocks(has), blocks(more));
    schedule.send(members.before(has), all, blocks(more));
    schedule.end_stage();
  }
  const int behind = members.size - members.me;  // of them, up to the last member
  schedule.copy(output + blocks(members.me), all, blocks(behind));
  schedule.copy(output, all + blocks(behind), blocks(members.me));
  schedule.end();
}

// Block i of the scratch memory is for the member i places behind the one where it is, and goes
// there by steps of powers of two, together with all others that make such a step.
void alltoall_by_bruck(Schedule& schedule, const Members& members, std::size_t block) {
  const auto blocks = [block](int count) { return blocks_of(count, block); };
  const Place all = schedule.take_scratch(blocks(members.size));
  const Place sent = schedule.take_scratch(blocks((members.size + 1) / 2));
  const Place got = schedule.take_scratch(blocks((members.size + 1) / 2));
  for (int i = 0; i < members.size; ++i)
    schedule.copy(all + blocks(i), input + blocks(members.behind(i)), block);
  for (int by = 1; by < members.size; by *= 2) {
    int count = 0;
    for (int i = 0; i < members.size; ++i)
      if ((i & by) != 0) schedule.copy(sent + blocks(count++), all + blocks(i), block);
    schedule.end();
    schedule.receive(members.before(by), got, blocks(count));
    schedule.send(members.behind(by), sent, blocks(count));
    count = 0;
    for (int i = 0; i < members.size; ++i)
      if ((i & by) != 0) schedule.copy(all + blocks(i), got + blocks(count++), block);
    // The steps go on: the next blocks are put together in the same stage.
  }
  for (int i = 0; i < members.size; ++i)
    schedule.copy(output + blocks(members.before(i)), all + blocks(i), block);
  schedule.end();
}

}  // namespace armature::collective

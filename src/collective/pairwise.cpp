#include "collective/algorithms.hpp"
#include "collective/combination.hpp"

namespace armature::collective {
namespace {

/// Pairs that exchange their blocks at once: enough to fill the way, and none has to keep the
/// envelopes of all.
constexpr int pairs_at_once = 8;

std::size_t length_of(Offsets blocks, int member) {
  const auto i = static_cast<std::size_t>(member);
  return blocks[i + 1] - blocks[i];
}
std::size_t begin_of(Offsets blocks, int member) {
  return blocks[static_cast<std::size_t>(member)];
}

}  // namespace

void alltoall_by_pairs(Schedule& schedule, const Members& members, Offsets to, Offsets from) {
  schedule.copy(output + begin_of(from, members.me), input + begin_of(to, members.me),
                length_of(to, members.me));
  for (int by = 1; by < members.size; ++by) {
    const int before = members.before(by), behind = members.behind(by);
    schedule.receive(before, output + begin_of(from, before), length_of(from, before));
    schedule.send(behind, input + begin_of(to, behind), length_of(to, behind));
    if (by % pairs_at_once == 0) schedule.end();
  }
  schedule.end();
}

// All that comes has a place of its own, and is combined when all is there: the order is the
// team's.
void reduce_scatter_by_pairs(Schedule& schedule, const Members& members, Offsets blocks, Place from,
                             Place into) {
  const std::size_t bytes = length_of(blocks, members.me);
  const Place own = from + begin_of(blocks, members.me);
  std::vector<Place> came(static_cast<std::size_t>(members.size), own);
  for (int by = 1; by < members.size; ++by) {
    const int before = members.before(by), behind = members.behind(by);
    Place& place = came[static_cast<std::size_t>(before)];
    place = schedule.take_scratch(bytes);
    schedule.receive(before, place, bytes);
    schedule.send(behind, from + begin_of(blocks, behind), length_of(blocks, behind));
  }
  // The result may lie in the caller's own block, which is read before that is written over.
  const Place all = members.me == 0 ? into : came.front();
  schedule.copy(all, came.front(), bytes);
  for (std::size_t i = 1; i < came.size(); ++i) schedule.combine(all, came[i], bytes);
  schedule.copy(into, all, bytes);
  schedule.end();
}

void gather_at_root(Schedule& schedule, const Members& members, int root, std::size_t mine,
                    Offsets blocks) {
  if (members.me != root) {
    schedule.send(root, input, mine);
    return schedule.end();
  }
  schedule.copy(output + begin_of(blocks, root), input, mine);
  for (int by = 1; by < members.size; ++by) {
    const int from = members.behind(by);
    schedule.receive(from, output + begin_of(blocks, from), length_of(blocks, from));
    if (by % pairs_at_once == 0) schedule.end();
  }
  schedule.end();
}

void scatter_from_root(Schedule& schedule, const Members& members, int root, std::size_t mine,
                       Offsets blocks) {
  if (members.me != root) {
    schedule.receive(root, output, mine);
    return schedule.end();
  }
  schedule.copy(output, input + begin_of(blocks, root), mine);
  for (int by = 1; by < members.size; ++by) {
    const int to = members.behind(by);
    schedule.send(to, input + begin_of(blocks, to), length_of(blocks, to));
    if (by % pairs_at_once == 0) schedule.end();
  }
  schedule.end();
}

}  // namespace armature::collective

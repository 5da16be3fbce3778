#include <vector>

#include "collective/algorithms.hpp"

namespace armature::collective {

void allgather_by_ring(Schedule& schedule, const Members& members, Offsets blocks, Place own) {
  const auto bytes_of = [&](int member) {
    const auto i = static_cast<std::size_t>(member);
    return blocks[i + 1] - blocks[i];
  };
  const auto place_of = [&](int member) {
    return output + blocks[static_cast<std::size_t>(member)];
  };
  schedule.copy(place_of(members.me), own, bytes_of(members.me));
  schedule.end();
  for (int by = 0; by < members.size - 1; ++by) {
    const int has = members.before(by), gets = members.before(by + 1);
    schedule.receive(members.before(1), place_of(gets), bytes_of(gets));
    schedule.send(members.behind(1), place_of(has), bytes_of(has));
    schedule.end_stage();
  }
}

std::vector<std::size_t> even_blocks(const Members& members, const Elements& elements) {
  const auto size = static_cast<std::size_t>(members.size);
  std::vector<std::size_t> begins(size + 1);
  for (std::size_t i = 0; i <= size; ++i)
    begins[i] =
        (elements.count / size * i + elements.count % size * i / size) * elements.bytes_each;
  return begins;
}

// Each block goes once around the ring and is combined with each member's, then once more whole.
void allreduce_by_ring(Schedule& schedule, const Members& members, const Elements& elements) {
  const auto size = static_cast<std::size_t>(members.size);
  const std::vector<std::size_t> begins = even_blocks(members, elements);
  const auto bytes_of = [&](int block) {
    const auto i = static_cast<std::size_t>(block);
    return begins[i + 1] - begins[i];
  };
  const auto place_of = [&](int block) { return output + begins[static_cast<std::size_t>(block)]; };
  const Place room = schedule.take_scratch((elements.count / size + 1) * elements.bytes_each);
  for (int by = 0; by < members.size - 1; ++by) {
    const int has = members.before(by), gets = members.before(by + 1);
    schedule.receive(members.before(1), room, bytes_of(gets));
    schedule.send(members.behind(1), place_of(has), bytes_of(has));
    schedule.combine(place_of(gets), room, bytes_of(gets));
    schedule.end_stage();
  }
  for (int by = 0; by < members.size - 1; ++by) {
    const int has = (members.before(by) + 1) % members.size, gets = members.before(by);
    schedule.receive(members.before(1), place_of(gets), bytes_of(gets));
    schedule.send(members.behind(1), place_of(has), bytes_of(has));
    schedule.end_stage();
  }
}

}  // namespace armature::collective

#include "team/chained_scan.hpp"

#include <algorithm>
#include <cstring>

namespace armature::team {

// The next member alone reads what a member shows. It enters a step when it has read that step's
// bytes. So a member writes a place again, two steps later, once the next one has entered the step
// that had it before. The member leaves when the next one has entered the last step.
void ChainedScan::run(std::byte* data) {
  const std::size_t element = reduction_.element_bytes;
  const bool is_short = reduction_.count * element <= Pipeline::bytes_max;
  const std::size_t at_once = is_short ? reduction_.count : Pipeline::long_bytes_max / element;
  const int next = team_.rank() + 1;
  const bool waits = !is_short && next < team_.size();
  for (std::size_t at = 0; at < reduction_.count; at += at_once) {
    const std::size_t count = std::min(at_once, reduction_.count - at);
    PipelinedRound round(team_, agreed_, "scan",
                         is_short ? Pipeline::bytes_max : at_once * element);
    if (waits && at >= 2 * at_once) round.await_reader(next, 2);
    piece(round, data + at * element, count);
    if (waits && at + count == reduction_.count) round.await_reader(next, 0);
  }
}

void ChainedScan::piece(PipelinedRound& round, std::byte* data, std::size_t count) const {
  const std::size_t bytes = count * reduction_.element_bytes;
  const int me = team_.rank();
  std::byte* const room = round.room(me);
  const std::byte* const before = me > 0 ? round.await(me - 1) : nullptr;
  const bool is_exclusive = first_ != nullptr;
  if (before != nullptr)
    std::memcpy(room, before, bytes);
  else if (is_exclusive)
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(room + i * reduction_.element_bytes, first_, reduction_.element_bytes);
  if (before == nullptr && !is_exclusive)
    std::memcpy(room, data, bytes);
  else
    reduction_.combine(room, data, count, reduction_.op);
  // The bytes of the one before it are its own again when this one has entered.
  if (is_exclusive && before != nullptr) std::memcpy(data, before, bytes);
  round.enter();
  if (me + 1 < team_.size()) round.notify(me + 1);
  if (me > 0) round.notify(me - 1);
  if (!is_exclusive) return void(std::memcpy(data, room, bytes));
  for (std::size_t i = 0; before == nullptr && i < count; ++i)
    std::memcpy(data + i * reduction_.element_bytes, first_, reduction_.element_bytes);
}

}  // namespace armature::team

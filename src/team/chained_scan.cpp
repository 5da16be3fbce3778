#include "team/chained_scan.hpp"

#include <algorithm>
#include <cstring>

namespace armature::team {

namespace {

/// So many elements that are all like that one.
void fill(std::byte* to, const void* element, std::size_t bytes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * bytes, element, bytes);
}

}  // namespace

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
  const int me = team_.rank();
  const std::byte* const before = me > 0 ? round.await(me - 1) : nullptr;
  if (me > 0 && before == nullptr) reduction_.note_failure_of_another();
  if (!reduction_.has_failed()) combine(round.room(me), before, data, count);
  // The bytes of the one before it are its own again when this one has entered.
  if (before != nullptr && is_exclusive())
    std::memcpy(data, before, count * reduction_.element_bytes);
  round.enter(reduction_.has_failed());
  if (me + 1 < team_.size()) round.notify(me + 1);
  if (me > 0) round.notify(me - 1);
  if (reduction_.has_failed()) return;
  if (!is_exclusive())
    std::memcpy(data, round.room(me), count * reduction_.element_bytes);
  else if (me == 0)
    fill(data, first_, reduction_.element_bytes, count);
}

/// Shows what comes before this member, combined with what it has.
void ChainedScan::combine(std::byte* room, const std::byte* before, const std::byte* data,
                          std::size_t count) const {
  const std::size_t element = reduction_.element_bytes;
  if (before == nullptr && !is_exclusive()) return void(std::memcpy(room, data, count * element));
  if (before != nullptr)
    std::memcpy(room, before, count * element);
  else
    fill(room, first_, element, count);
  reduction_.combine(room, data, count, reduction_.op);
}

}  // namespace armature::team

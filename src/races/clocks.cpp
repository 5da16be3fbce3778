#include "races/clocks.hpp"

#include <algorithm>

namespace armature::races {

void Clocks::join(std::uint32_t* into, const std::uint32_t* from, int but) {
  for (std::uint32_t rank = 0; rank < region_.ranks; ++rank)
    if (static_cast<int>(rank) != but) into[rank] = std::max(into[rank], from[rank]);
}

void Clocks::hear_from(int rank, int other) {
  if (rank == other) return;
  join(clock(rank), clock(other), rank);
  advance(other);
}

void Clocks::hear_from_all(int rank) {
  for (std::uint32_t other = 0; other < region_.ranks; ++other)
    hear_from(rank, static_cast<int>(other));
}

void Clocks::hear_of(int rank, const Entry& entry) {
  if (entry.rank == rank) return;
  // It learns of the others what the entry's rank knows by now, which may be more than it told.
  const std::uint32_t known = clock(rank)[entry.rank];
  join(clock(rank), clock(entry.rank), rank);
  clock(rank)[entry.rank] = std::max(known, entry.epoch);
}

void Clocks::enter(int rank, std::uint64_t team, std::uint64_t round) {
  RankPart& part = region_.part(rank);
  const std::size_t place = part.rounds++ % RankPart::rounds_max;
  part.round[place] = {team, round};
  std::copy_n(clock(rank), region_.ranks, region_.clock_of_round(rank, place));
  advance(rank);
}

void Clocks::leave(int rank, std::uint64_t team, std::uint64_t round,
                   std::span<const std::int32_t> members) {
  for (const std::int32_t member : members) {
    if (member == rank) continue;
    const auto& rounds = region_.part(member).round;
    const auto found = std::ranges::find_if(
        rounds, [&](const auto& one) { return one.team == team && one.number == round; });
    if (found == rounds.end())
      hear_from(rank, member);
    else
      join(clock(rank),
           region_.clock_of_round(member, static_cast<std::size_t>(found - rounds.begin())), rank);
  }
}

std::uint32_t Clocks::begin_put(int rank, bool is_later) {
  RankPart& part = region_.part(rank);
  if (!is_later) return ++part.puts;
  const std::uint32_t number = ++part.later_puts;
  if (part.open < RankPart::open_max) part.open_put[part.open++] = number;
  return number;
}

void Clocks::end_later_put(int rank, std::uint32_t number) {
  RankPart& part = region_.part(rank);
  const auto begin = part.open_put.begin(), end = begin + part.open;
  if (const auto found = std::find(begin, end, number); found != end) {
    std::copy(found + 1, end, found);
    --part.open;
  }
}

bool Clocks::is_open(int rank, std::uint32_t put) {
  const RankPart& part = region_.part(rank);
  const auto begin = part.open_put.begin(), end = begin + part.open;
  return std::find(begin, end, put) != end;
}

void Clocks::fence(int rank, int target) {
  RankPart& part = region_.part(rank);
  const std::uint32_t later = part.open == 0 ? part.later_puts : part.open_put.front() - 1;
  if (part.fences > 0) {
    // The one before may have completed as much.
    const Fence& last = part.fence[(part.fences - 1) % RankPart::fences_max];
    if (last.puts == part.puts && last.later_puts == later &&
        (last.target == -1 || last.target == target))
      return;
  }
  Fence& place = part.fence[part.fences++ % RankPart::fences_max];
  part.puts_forgotten = std::max(part.puts_forgotten, place.puts);
  part.later_puts_forgotten = std::max(part.later_puts_forgotten, place.later_puts);
  place = {part.puts, later, target, epoch(rank)};
}

std::uint32_t Clocks::completed(const Entry& put) {
  const RankPart& part = region_.part(put.rank);
  if (put.put <= (put.is_later ? part.later_puts_forgotten : part.puts_forgotten))
    return std::max(put.epoch, 1u);
  const std::uint32_t kept =
      std::min(part.fences, static_cast<std::uint32_t>(RankPart::fences_max));
  for (std::uint32_t number = part.fences - kept; number < part.fences; ++number) {
    const Fence& fence = part.fence[number % RankPart::fences_max];
    if (fence.target != -1 && fence.target != put.target) continue;
    if ((put.is_later ? fence.later_puts : fence.puts) < put.put) continue;
    return fence.epoch;
  }
  return 0;
}

Clocks::Order Clocks::order(int rank, const Entry& entry) {
  if (entry.rank == rank)
    return entry.is_later && is_open(rank, entry.put) ? Order::put_not_awaited : Order::before;
  std::uint32_t from = entry.epoch;
  if (entry.put != 0) {
    if (entry.is_later && is_open(entry.rank, entry.put)) return Order::put_not_awaited;
    from = completed(entry);
    const bool was_heard_of = clock(rank)[entry.rank] >= entry.epoch;
    if (from == 0 || (was_heard_of && clock(rank)[entry.rank] < from))
      return Order::put_not_complete;
  }
  return clock(rank)[entry.rank] >= from ? Order::before : Order::unordered;
}

}  // namespace armature::races

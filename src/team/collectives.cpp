// Collectives as rounds of a team: everyone shows a piece, everyone takes what it needs. Long data
// go in pieces of what a round can show. Where one member shows all, that is what all members have
// room for, not what it has itself: as much as when everyone shows something. Data that would take
// several rounds of this kind are exposed instead (exposure.hpp).
#include "armature/collectives.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "team/exposure.hpp"
#include "team/pieces.hpp"
#include "team/pipelined_calls.hpp"
#include "team/team_state.hpp"

namespace armature {

using detail::in_pieces;
using detail::require_root;
using detail::TeamState;
using Kind = detail::TeamState::Kind;
using Agreed = detail::TeamState::Agreed;
using Shown = team::Shown;
using team::exchange;
using team::Flow;
using team::Wanted;

namespace {

constexpr std::size_t piece_max = team::Lines::bytes_max;

/// The room of so many members is what a broadcast uses: more would not stay in the cache.
constexpr std::size_t broadcast_pieces_max = 8;

/// Whether so many bytes of a member go by rounds, one of which has room for `in_round`. Where
/// rounds are as quick as copies, exposing soon is better than copying twice.
bool go_by_rounds(const TeamState& team, std::size_t bytes, std::size_t in_round) {
  constexpr std::size_t copied_twice_max = 8 * 1024;
  // A death may let one member give up, and use its memory, that another of them still reads.
  if (team.proxy().is_far() && team.space().header().settings.on_death == space::OnDeath::go_on)
    return true;
  return bytes <= copied_twice_max || (bytes <= in_round && team::rounds_are_long(team));
}

/// Whether two buffers share bytes.
bool overlap(const std::byte* a, std::size_t a_bytes, const std::byte* b, std::size_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

void broadcast_short(TeamState& team, std::byte* buffer, const Agreed& agreed) {
  const std::size_t bytes = agreed.bytes;
  const bool mine = team.rank() == agreed.root;
  if (mine && bytes > 0) std::memcpy(team.lines().outgoing(bytes), buffer, bytes);
  team.round(agreed, mine ? bytes : 0, "broadcast");
  if (!mine && bytes > 0) std::memcpy(buffer, team.lines().incoming(agreed.root, bytes), bytes);
}

/// `bytes` of a longer broadcast, at `buffer`: the root lays them into the room of several members.
void broadcast_pieces(TeamState& team, std::byte* buffer, std::size_t bytes, Agreed agreed) {
  const std::size_t pieces = (bytes + piece_max - 1) / piece_max;
  agreed.read = {.by = Shown::By::all_pieces,
                 .root = static_cast<std::uint32_t>(agreed.root),
                 .bytes = piece_max,
                 .pieces = static_cast<std::uint32_t>(pieces),
                 .last = bytes - (pieces - 1) * piece_max};
  const auto for_each_piece = [&](auto&& act) {
    for (std::uint32_t i = 0; i < agreed.read.pieces; ++i)
      act(static_cast<int>(i), buffer + i * piece_max, agreed.read.piece_bytes(i));
  };
  const bool mine = team.rank() == agreed.root;
  team::PipelinedRound::free_staging(team, "broadcast");
  if (mine)
    for_each_piece([&](int at, const std::byte* from, std::size_t n) {
      std::memcpy(team.lines().outgoing_at(at), from, n);
    });
  team.round(agreed, 0, "broadcast");
  if (!mine)
    for_each_piece([&](int at, std::byte* to, std::size_t n) {
      std::memcpy(to, team.lines().incoming_at(at), n);
    });
}

}  // namespace

void detail::expect_elements(const char* call, std::size_t given, std::size_t expected) {
  if (given != expected)
    base::fail(Errc::bad_argument, fmt::format("{}: a buffer of {} elements where {} are needed",
                                               call, given, expected));
}

void detail::broadcast_bytes(const Team& members, void* data, std::size_t bytes, int root) {
  TeamState& team = members.checked("broadcast");
  const TeamState::Collective one_at_a_time(team, "broadcast");
  require_root(team, root, "broadcast");
  auto* buffer = static_cast<std::byte*>(data);
  const Agreed agreed{Kind::broadcast, bytes, root};
  if (team::PipelinedRound::is_for(team, bytes))
    return team::broadcast_pipelined(team, agreed, buffer);
  const std::size_t at_once =
      piece_max *
      std::min<std::size_t>(static_cast<std::size_t>(team.size()), broadcast_pieces_max);
  if (!go_by_rounds(team, bytes, at_once) &&
      team::broadcast_exposed(team, agreed, "broadcast", buffer))
    return;
  if (bytes <= piece_max) return broadcast_short(team, buffer, agreed);
  in_pieces(bytes, at_once,
            [&](std::size_t at, std::size_t n) { broadcast_pieces(team, buffer + at, n, agreed); });
}

namespace {

/// Everyone shows all of `mine`; take(member, offset, piece, from) is called for each member.
template <class Take>
void show_all(TeamState& team, const void* mine, const Agreed& agreed, const char* call,
              Take&& take) {
  in_pieces(agreed.bytes, team::Lines::bytes_max, [&](std::size_t at, std::size_t n) {
    if (n > 0) std::memcpy(team.lines().outgoing(n), static_cast<const std::byte*>(mine) + at, n);
    team.round(agreed, n, call);
    if (n == 0) return;
    for (int i = 0; i < team.size(); ++i)
      take(static_cast<std::size_t>(i), at, n, team.lines().incoming(i, n));
  });
}

/// That block of every member, laid out in their order. From this member on, so that not all read
/// the same one's at a time.
std::vector<Wanted> from_all(const TeamState& team, std::size_t block, std::byte* out,
                             std::size_t bytes) {
  const int size = team.size();
  std::vector<Wanted> wanted;
  wanted.reserve(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) {
    const int member = (team.rank() + i) % size;
    wanted.push_back({member, block, out + static_cast<std::size_t>(member) * bytes});
  }
  return wanted;
}

}  // namespace

void detail::allgather_bytes(const Team& members, const void* mine, std::size_t bytes, void* all) {
  TeamState& team = members.checked("allgather");
  const TeamState::Collective one_at_a_time(team, "allgather");
  auto* out = static_cast<std::byte*>(all);
  const Agreed agreed{Kind::allgather, bytes};
  const auto* own = static_cast<const std::byte*>(mine);
  const auto size = static_cast<std::size_t>(team.size());
  const bool is_elsewhere = own != out + static_cast<std::size_t>(team.rank()) * bytes &&
                            overlap(own, bytes, out, size * bytes);
  // Between nodes a round brings a node once what all its members read.
  if (!go_by_rounds(team, bytes, piece_max) && team::is_one_or_each(team) &&
      exchange(team, agreed, "allgather", Flow::among_all,
               {.data = own, .blocks = 1, .by_rounds = is_elsewhere},
               from_all(team, 0, out, bytes)))
    return;
  show_all(team, mine, agreed, "allgather",
           [&](std::size_t member, std::size_t at, std::size_t n, const std::byte* from) {
             std::memcpy(out + member * bytes + at, from, n);
           });
}

void detail::gather_bytes(const Team& members, const void* mine, std::size_t bytes, void* all,
                          int root) {
  TeamState& team = members.checked("gather");
  const TeamState::Collective one_at_a_time(team, "gather");
  require_root(team, root, "gather");
  auto* out = static_cast<std::byte*>(all);
  const bool is_root = team.rank() == root;
  const auto* own = static_cast<const std::byte*>(mine);
  if (team::PipelinedRound::is_for(team, bytes))
    return team::gather_pipelined(team, {Kind::gather, bytes, root}, own, out);
  const bool is_elsewhere = is_root && own != out + static_cast<std::size_t>(root) * bytes &&
                            overlap(own, bytes, out, static_cast<std::size_t>(team.size()) * bytes);
  if (!go_by_rounds(team, bytes, piece_max) &&
      exchange(team, {Kind::gather, bytes, root}, "gather", Flow::to_root,
               {.data = own,
                .blocks = is_root && !is_elsewhere ? std::size_t{0} : 1,
                .by_rounds = is_elsewhere},
               is_root ? from_all(team, 0, out, bytes) : std::vector<Wanted>()))
    return;
  const Shown read{.by = Shown::By::root, .root = static_cast<std::uint32_t>(root)};
  show_all(team, mine, {Kind::gather, bytes, root, read}, "gather",
           [&](std::size_t member, std::size_t at, std::size_t n, const std::byte* from) {
             if (is_root) std::memcpy(out + member * bytes + at, from, n);
           });
}

namespace {

/// How much of each block a round can show that shows a piece of every member's.
std::size_t block_piece(std::size_t members, const char* call) {
  if (members > team::Lines::bytes_max)
    base::fail(Errc::bad_argument, fmt::format("{}: teams of more than {} are not supported", call,
                                               team::Lines::bytes_max));
  return team::Lines::bytes_max / members;
}

/// Shows a piece of every block, for each member one.
void show_blocks(TeamState& team, const void* blocks, std::size_t block_bytes, std::size_t at,
                 std::size_t n) {
  const auto size = static_cast<std::size_t>(team.size());
  if (n == 0) return;
  std::byte* const show = team.lines().outgoing(n * size);
  for (std::size_t i = 0; i < size; ++i)
    std::memcpy(show + i * n, static_cast<const std::byte*>(blocks) + i * block_bytes + at, n);
}

}  // namespace

namespace {

/// All blocks lie in the room of the root, which takes one round.
void scatter_short(TeamState& team, const void* all, std::byte* out, Agreed agreed) {
  const auto size = static_cast<std::size_t>(team.size());
  const auto me = static_cast<std::size_t>(team.rank());
  const std::size_t bytes = agreed.bytes;
  const bool shows = team.rank() == agreed.root;
  agreed.read = {.by = Shown::By::blocks, .bytes = bytes};
  if (shows) show_blocks(team, all, bytes, 0, bytes);
  team.round(agreed, shows ? bytes * size : 0, "scatter");
  if (bytes > 0)
    std::memcpy(out, team.lines().incoming(agreed.root, bytes * size) + me * bytes, bytes);
}

/// `bytes` of every block, from `at` on: the root lays them into the room of whom they are for.
void scatter_pieces(TeamState& team, const std::byte* all, std::byte* out, Agreed agreed,
                    std::size_t at, std::size_t bytes) {
  agreed.read = {.by = Shown::By::one_piece,
                 .root = static_cast<std::uint32_t>(agreed.root),
                 .bytes = bytes,
                 .pieces = static_cast<std::uint32_t>(team.size()),
                 .last = bytes};
  const auto block = [&](int member) {
    return all + static_cast<std::size_t>(member) * agreed.bytes + at;
  };
  const bool mine = team.rank() == agreed.root;
  team::PipelinedRound::free_staging(team, "scatter");
  for (int i = 0; mine && i < team.size(); ++i)
    if (i != agreed.root) std::memcpy(team.lines().outgoing_at(i), block(i), bytes);
  team.round(agreed, 0, "scatter");
  mine ? std::memmove(out + at, block(agreed.root), bytes)
       : std::memcpy(out + at, team.lines().incoming_at(team.rank()), bytes);
}

}  // namespace

void detail::scatter_bytes(const Team& members, const void* all, std::size_t block_bytes,
                           void* mine, int root) {
  TeamState& team = members.checked("scatter");
  const TeamState::Collective one_at_a_time(team, "scatter");
  require_root(team, root, "scatter");
  auto* const out = static_cast<std::byte*>(mine);
  const Agreed agreed{Kind::scatter, block_bytes, root};
  const auto size = static_cast<std::size_t>(team.size());
  const Wanted block{root, static_cast<std::size_t>(team.rank()), out};
  const auto* from = static_cast<const std::byte*>(all);
  if (team::PipelinedRound::is_for(team, block_bytes))
    return team::scatter_pipelined(team, agreed, from, out);
  const bool is_root = team.rank() == root;
  const bool is_elsewhere = is_root && out != from + static_cast<std::size_t>(root) * block_bytes &&
                            overlap(out, block_bytes, from, size * block_bytes);
  if (!go_by_rounds(team, block_bytes * size, piece_max * size) &&
      exchange(team, agreed, "scatter", Flow::from_root,
               {.data = from, .blocks = is_root ? size : 0, .by_rounds = is_elsewhere},
               {&block, 1}))
    return;
  if (block_bytes <= piece_max / size) return scatter_short(team, all, out, agreed);
  in_pieces(block_bytes, piece_max, [&](std::size_t at, std::size_t n) {
    scatter_pieces(team, static_cast<const std::byte*>(all), out, agreed, at, n);
  });
}

void detail::alltoall_bytes(const Team& members, const void* mine, std::size_t block_bytes,
                            void* all) {
  TeamState& team = members.checked("alltoall");
  const TeamState::Collective one_at_a_time(team, "alltoall");
  const auto size = static_cast<std::size_t>(team.size());
  const auto me = static_cast<std::size_t>(team.rank());
  auto* out = static_cast<std::byte*>(all);
  const auto* from = static_cast<const std::byte*>(mine);
  const bool overlaps = from < out + size * block_bytes && out < from + size * block_bytes;
  // Finding shorter blocks takes more time than copying them.
  constexpr std::size_t exposed_min = 128;
  if (block_bytes >= exposed_min && !go_by_rounds(team, block_bytes * size, piece_max) &&
      exchange(team, {Kind::alltoall, block_bytes}, "alltoall", Flow::among_all,
               {from, size, overlaps}, from_all(team, me, out, block_bytes)))
    return;
  in_pieces(block_bytes, block_piece(size, "alltoall"), [&](std::size_t at, std::size_t n) {
    show_blocks(team, mine, block_bytes, at, n);
    team.round({Kind::alltoall, block_bytes, 0, {.by = Shown::By::blocks, .bytes = n}}, n * size,
               "alltoall");
    for (std::size_t i = 0; n > 0 && i < size; ++i)
      std::memcpy(out + i * block_bytes + at,
                  team.lines().incoming(static_cast<int>(i), n * size) + me * n, n);
  });
}

}  // namespace armature

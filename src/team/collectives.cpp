// Collectives as rounds of a team: everyone shows a piece, everyone takes what it needs. Long data
// go in pieces of what a round can show.
#include <algorithm>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "armature/team.hpp"
#include "base/fail.hpp"
#include "team/team_state.hpp"

namespace armature {

using detail::Reduction;
using detail::TeamState;
using Kind = detail::TeamState::Kind;

namespace {

void require_root(const TeamState& team, int root, const char* call) {
  if (root < 0 || root >= team.size())
    base::fail(
        Errc::bad_rank,
        fmt::format("Team::{}: there is no member {} to be the root: the team has members 0 to {}",
                    call, root, team.size() - 1));
}

/// Runs f(offset, bytes) over [0, total) in pieces of at most `piece`; once with 0 bytes when total
/// is 0, so that members who disagree about that find out.
template <class F>
void in_pieces(std::size_t total, std::size_t piece, F&& f) {
  std::size_t offset = 0;
  do {
    const std::size_t bytes = std::min(piece, total - offset);
    f(offset, bytes);
    offset += bytes;
  } while (offset < total);
}

}  // namespace

void Team::broadcast_bytes(void* data, std::size_t bytes, int root) const {
  TeamState& team = checked("Team::broadcast");
  const TeamState::Collective one_at_a_time(team, "Team::broadcast");
  require_root(team, root, "broadcast");
  auto* buffer = static_cast<std::byte*>(data);
  in_pieces(bytes, TeamState::bytes_max, [&](std::size_t at, std::size_t n) {
    const bool mine = team.rank() == root;
    if (mine && n > 0) std::memcpy(team.outgoing(n), buffer + at, n);
    team.round(Kind::broadcast, bytes, mine ? n : 0, "broadcast");
    if (!mine && n > 0) std::memcpy(buffer + at, team.incoming(root, n), n);
  });
}

namespace {

/// Everyone shows `bytes` bytes of `mine`; take(member, offset, piece, from) is called for each
/// member.
template <class Take>
void show_all(TeamState& team, const void* mine, std::size_t bytes, const char* call, Take&& take) {
  in_pieces(bytes, TeamState::bytes_max, [&](std::size_t at, std::size_t n) {
    if (n > 0) std::memcpy(team.outgoing(n), static_cast<const std::byte*>(mine) + at, n);
    team.round(Kind::allgather, bytes, n, call);
    if (n == 0) return;
    for (int i = 0; i < team.size(); ++i)
      take(static_cast<std::size_t>(i), at, n, team.incoming(i, n));
  });
}

}  // namespace

void Team::allgather_bytes(const void* mine, std::size_t bytes, void* all) const {
  TeamState& team = checked("Team::allgather");
  const TeamState::Collective one_at_a_time(team, "Team::allgather");
  auto* out = static_cast<std::byte*>(all);
  show_all(team, mine, bytes, "allgather",
           [&](std::size_t member, std::size_t at, std::size_t n, const std::byte* from) {
             std::memcpy(out + member * bytes + at, from, n);
           });
}

void Team::gather_bytes(const void* mine, std::size_t bytes, void* all, int root) const {
  TeamState& team = checked("Team::gather");
  const TeamState::Collective one_at_a_time(team, "Team::gather");
  require_root(team, root, "gather");
  auto* out = static_cast<std::byte*>(all);
  show_all(team, mine, bytes, "gather",
           [&](std::size_t member, std::size_t at, std::size_t n, const std::byte* from) {
             if (team.rank() == root) std::memcpy(out + member * bytes + at, from, n);
           });
}

void Team::alltoall_bytes(const void* mine, std::size_t block_bytes, void* all) const {
  TeamState& team = checked("Team::alltoall");
  const TeamState::Collective one_at_a_time(team, "Team::alltoall");
  const auto size = static_cast<std::size_t>(team.size());
  const auto me = static_cast<std::size_t>(team.rank());
  const auto* in = static_cast<const std::byte*>(mine);
  auto* out = static_cast<std::byte*>(all);
  // A round shows a piece of every block, for each member one.
  const std::size_t piece = std::max<std::size_t>(TeamState::bytes_max / size, 1);
  if (piece * size > TeamState::bytes_max)
    base::fail(Errc::bad_argument,
               fmt::format("Team::alltoall: teams of more than {} are not supported",
                           TeamState::bytes_max));
  in_pieces(block_bytes, piece, [&](std::size_t at, std::size_t n) {
    if (n > 0) {
      std::byte* show = team.outgoing(n * size);
      for (std::size_t i = 0; i < size; ++i)
        std::memcpy(show + i * n, in + i * block_bytes + at, n);
    }
    team.round(Kind::alltoall, block_bytes, n * size, "alltoall");
    for (std::size_t i = 0; n > 0 && i < size; ++i)
      std::memcpy(out + i * block_bytes + at, team.incoming(static_cast<int>(i), n * size) + me * n,
                  n);
  });
}

namespace {

struct Members {
  int first, last, step = 1;
};

/// into = the combination, in team order, of these members' bytes [at, at + count elements).
void fold(const TeamState& team, const Reduction& reduction, std::byte* into, std::size_t shown,
          std::size_t at, std::size_t count, const Members& members) {
  std::memcpy(into, team.incoming(members.first, shown) + at, count * reduction.element_bytes);
  for (int i = members.first + members.step; i <= members.last; i += members.step)
    reduction.combine(into, team.incoming(i, shown) + at, count, reduction.op);
}

static_assert(detail::reduced_bytes_max == TeamState::bytes_max);

/// Elements that one round can show; at least one must fit.
std::size_t elements_per_round(const Reduction& reduction, const char* call) {
  const std::size_t elements = TeamState::bytes_max / reduction.element_bytes;
  if (elements == 0)
    base::fail(Errc::bad_argument,
               fmt::format("Team::{}: elements of {} bytes are larger than {}", call,
                           reduction.element_bytes, TeamState::bytes_max));
  return elements;
}

// From so many members on a second round costs less than to combine what all show.
constexpr int members_of_one_round = 256;

/// Combines a piece that everybody shows, which has few elements: the first of each so many members
/// combines theirs, and shows the result in a second round.
void allreduce_by_groups(TeamState& team, const Reduction& reduction, std::byte* data,
                         std::size_t count, std::byte* scratch) {
  const std::size_t bytes = count * reduction.element_bytes;
  int group = 16;
  while (group * group < team.size()) group *= 2;
  const bool leads = team.rank() % group == 0;
  if (leads) {
    const int last = std::min(team.rank() + group, team.size()) - 1;
    fold(team, reduction, scratch, bytes, 0, count, {team.rank(), last});
    std::memcpy(team.outgoing(bytes), scratch, bytes);
  }
  team.round(Kind::slices, reduction.count * reduction.element_bytes, leads ? bytes : 0,
             "allreduce");
  fold(team, reduction, data, bytes, 0, count, {0, team.size() - 1, group});
}

/// Combines a piece that everybody shows. With few elements everyone combines them all, if members
/// are not too many; with many, member i combines the i-th slice and shows the result in a second
/// round.
void allreduce_piece(TeamState& team, const Reduction& reduction, std::byte* data,
                     std::size_t count, std::byte* scratch) {
  constexpr std::size_t slices_from_bytes = 4096;
  const std::size_t element = reduction.element_bytes;
  const std::size_t bytes = count * element;
  std::memcpy(team.outgoing(bytes), data, bytes);
  team.round(Kind::reduce, reduction.count * element, bytes, "allreduce");
  const auto size = static_cast<std::size_t>(team.size());
  if (bytes < slices_from_bytes || size < 3 || count < size) {
    if (team.size() > members_of_one_round)
      return allreduce_by_groups(team, reduction, data, count, scratch);
    fold(team, reduction, scratch, bytes, 0, count, {0, team.size() - 1});
    std::memcpy(data, scratch, bytes);
    return;
  }
  auto begin = [&](std::size_t member) { return count * member / size; };
  const auto me = static_cast<std::size_t>(team.rank());
  const std::size_t mine = begin(me + 1) - begin(me);
  fold(team, reduction, scratch, bytes, begin(me) * element, mine, {0, team.size() - 1});
  // Shown as if it were a whole piece, so that all members read each other's at the same kind of
  // place.
  std::memcpy(team.outgoing(bytes), scratch, mine * element);
  team.round(Kind::slices, reduction.count * element, bytes, "allreduce");
  for (std::size_t i = 0; i < size; ++i)
    std::memcpy(data + begin(i) * element, team.incoming(static_cast<int>(i), bytes),
                (begin(i + 1) - begin(i)) * element);
}

}  // namespace

void Team::allreduce_bytes(void* data, const Reduction& reduction) const {
  TeamState& team = checked("Team::allreduce");
  const TeamState::Collective one_at_a_time(team, "Team::allreduce");
  auto* buffer = static_cast<std::byte*>(data);
  const std::size_t piece = elements_per_round(reduction, "allreduce");
  if (reduction.count == 0) return team.round(Kind::reduce, 0, 0, "allreduce");
  alignas(64) std::byte small[256];
  const std::size_t largest = std::min(piece, reduction.count) * reduction.element_bytes;
  const auto large = largest > sizeof small ? std::make_unique<std::byte[]>(largest) : nullptr;
  in_pieces(reduction.count, piece, [&](std::size_t at, std::size_t n) {
    allreduce_piece(team, reduction, buffer + at * reduction.element_bytes, n,
                    large ? large.get() : small);
  });
}

void Team::reduce_bytes(void* data, const Reduction& reduction, int root) const {
  TeamState& team = checked("Team::reduce");
  const TeamState::Collective one_at_a_time(team, "Team::reduce");
  require_root(team, root, "reduce");
  auto* buffer = static_cast<std::byte*>(data);
  const std::size_t element = reduction.element_bytes;
  const std::size_t piece = elements_per_round(reduction, "reduce");
  if (reduction.count == 0) return team.round(Kind::reduce, 0, 0, "reduce");
  in_pieces(reduction.count, piece, [&](std::size_t at, std::size_t n) {
    std::memcpy(team.outgoing(n * element), buffer + at * element, n * element);
    team.round(Kind::reduce, reduction.count * element, n * element, "reduce");
    if (team.rank() == root)
      fold(team, reduction, buffer + at * element, n * element, 0, n, {0, team.size() - 1});
  });
}

void Team::scan_bytes(void* data, const Reduction& reduction) const {
  TeamState& team = checked("Team::scan");
  const TeamState::Collective one_at_a_time(team, "Team::scan");
  auto* buffer = static_cast<std::byte*>(data);
  const std::size_t element = reduction.element_bytes;
  const std::size_t piece = elements_per_round(reduction, "scan");
  if (reduction.count == 0) return team.round(Kind::scan, 0, 0, "scan");
  in_pieces(reduction.count, piece, [&](std::size_t at, std::size_t n) {
    std::memcpy(team.outgoing(n * element), buffer + at * element, n * element);
    team.round(Kind::scan, reduction.count * element, n * element, "scan");
    fold(team, reduction, buffer + at * element, n * element, 0, n, {0, team.rank()});
  });
}

}  // namespace armature

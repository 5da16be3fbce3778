#include "team/signature.hpp"

#include <iterator>

#include <fmt/format.h>

#include "space/team_block.hpp"

namespace armature::team {

using space::MemberLine;

namespace {

// 4 bits say which collective, 8 from or to whom, 16 what is shown, 36 how many bytes. Of what is
// larger the lowest bits are compared.
constexpr int kind_shift = 60, root_shift = 52;
constexpr std::uint64_t root_mask = 0xff;
constexpr std::uint64_t bytes_mask = (std::uint64_t{1} << MemberLine::shown_shift) - 1;
static_assert(MemberLine::shown_shift + MemberLine::shown_bits == root_shift);

std::string call_of(std::uint64_t signature) {
  constexpr const char* names[] = {
      "a barrier",         "a broadcast",  "an allgather", "a gather",    "a scatter",
      "an alltoall",       "a reduce",     "an allreduce", "a reduction", "a scan",
      "an exclusive scan", "an agreement", "its end",      "a meeting"};
  const std::uint64_t kind = signature >> kind_shift;
  if (kind >= std::size(names)) return "something";
  if (is_barrier(static_cast<RoundKind>(kind))) return names[kind];
  return fmt::format("{} of {} bytes", names[kind], signature & bytes_mask);
}

}  // namespace

bool has_root(RoundKind kind) {
  return kind == RoundKind::broadcast || kind == RoundKind::gather || kind == RoundKind::scatter ||
         kind == RoundKind::reduce;
}

bool is_barrier(RoundKind kind) {
  return kind == RoundKind::barrier || kind == RoundKind::leaving || kind == RoundKind::agreement;
}

std::uint64_t signature_of(const Agreed& agreed, std::size_t shown, std::uint64_t calls) {
  const std::uint64_t root =
      has_root(agreed.kind) ? static_cast<std::uint64_t>(agreed.root) & root_mask : calls >> 56;
  return (static_cast<std::uint64_t>(agreed.kind) << kind_shift) | root << root_shift |
         (std::uint64_t{shown} << MemberLine::shown_shift) | (agreed.bytes & bytes_mask);
}

bool same_call(std::uint64_t a, std::uint64_t b) {
  return ((a ^ b) & ~MemberLine::shown_mask) == 0;
}

namespace {

/// Whether two members that have not called the same differ in the root alone.
bool same_but_for_root(std::uint64_t a, std::uint64_t b) {
  return ((a ^ b) & ~(MemberLine::shown_mask | root_mask << root_shift)) == 0;
}

/// Whether they are in the same call now, and have disagreed before.
bool disagreed_before(std::uint64_t a, std::uint64_t b) {
  const auto kind = static_cast<RoundKind>(a >> kind_shift);
  if (a >> kind_shift != b >> kind_shift) return false;
  return kind == RoundKind::meeting || (same_but_for_root(a, b) && !has_root(kind));
}

/// "rank 3 is in a broadcast of 8 bytes".
std::string text_of(std::uint64_t signature, std::int32_t rank) {
  if (signature >> kind_shift == static_cast<std::uint64_t>(RoundKind::leaving))
    return fmt::format("rank {} has returned already", rank);
  return fmt::format("rank {} is in {}", rank, call_of(signature));
}

}  // namespace

std::string text_of_disagreement(std::uint64_t theirs, std::int32_t their_rank, std::uint64_t mine,
                                 std::int32_t my_rank, const char* call) {
  if (disagreed_before(theirs, mine))
    return fmt::format(
        "{}: members of the team disagree about an earlier call: ranks {} and {} have called "
        "different ones of broadcast, gather, scatter, reduce and scan, or with different roots or "
        "counts. `armature run --check` finds the call",
        call, their_rank, my_rank);
  return fmt::format("{}: members of the team disagree{}: {}, {}", call,
                     same_but_for_root(theirs, mine) ? " about the root" : "",
                     text_of(theirs, their_rank), text_of(mine, my_rank));
}

}  // namespace armature::team

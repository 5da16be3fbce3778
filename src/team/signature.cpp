#include "team/signature.hpp"

#include <iterator>

#include <fmt/format.h>

#include "space/team_block.hpp"

namespace armature::team {

using space::MemberLine;

namespace {

// 4 bits say which collective, 8 from or to whom, 16 what is shown, 5 of which call of the program
// it is a part, 31 how many bytes. Of what is larger the lowest bits are compared.
constexpr int kind_shift = 60, root_shift = 52, user_call_shift = 31;
constexpr std::uint64_t root_mask = 0xff, user_call_mask = 0x1f;
constexpr std::uint64_t bytes_mask = (std::uint64_t{1} << user_call_shift) - 1;
static_assert(MemberLine::shown_shift + MemberLine::shown_bits == root_shift);
static_assert(user_call_shift + 5 == MemberLine::shown_shift);

UserCall user_call_of(std::uint64_t signature) {
  return static_cast<UserCall>(signature >> user_call_shift & user_call_mask);
}

/// "a broadcast of 8 bytes from member 0".
std::string collective_of(std::uint64_t signature) {
  constexpr const char* names[] = {
      "a barrier",         "a broadcast",  "an allgather", "a gather",    "a scatter",
      "an alltoall",       "a reduce",     "an allreduce", "a reduction", "a scan",
      "an exclusive scan", "an agreement", "its end",      "a meeting"};
  const std::uint64_t kind = signature >> kind_shift;
  if (kind >= std::size(names)) return "something";
  if (is_barrier(static_cast<RoundKind>(kind))) return names[kind];
  const std::uint64_t root = signature >> root_shift & root_mask;
  return fmt::format(
      "{} of {} bytes{}", names[kind], signature & bytes_mask,
      has_root(static_cast<RoundKind>(kind)) ? fmt::format(" with root {}", root) : "");
}

}  // namespace

std::uint64_t signature_of(const Agreed& agreed, std::size_t shown, UserCall part_of,
                           std::uint64_t calls) {
  const std::uint64_t root =
      has_root(agreed.kind) ? static_cast<std::uint64_t>(agreed.root) & root_mask : calls >> 56;
  return (static_cast<std::uint64_t>(agreed.kind) << kind_shift) | root << root_shift |
         (std::uint64_t{shown} << MemberLine::shown_shift) |
         static_cast<std::uint64_t>(part_of) << user_call_shift | (agreed.bytes & bytes_mask);
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
  if (a >> kind_shift != b >> kind_shift || user_call_of(a) != user_call_of(b)) return false;
  return kind == RoundKind::meeting || (same_but_for_root(a, b) && !has_root(kind));
}

/// "rank 3 is in a broadcast of 8 bytes with root 0", or "rank 3 is in sort", with the part of it
/// that it is in if both are in the same call.
std::string text_of(std::uint64_t signature, std::int32_t rank, bool names_part) {
  if (signature >> kind_shift == static_cast<std::uint64_t>(RoundKind::leaving))
    return fmt::format("rank {} has returned already", rank);
  const UserCall call = user_call_of(signature);
  if (call == UserCall::none)
    return fmt::format("rank {} is in {}", rank, collective_of(signature));
  if (!names_part) return fmt::format("rank {} is in {}", rank, name_of(call));
  return fmt::format("rank {} is in {}, and there in {}", rank, name_of(call),
                     collective_of(signature));
}

}  // namespace

std::string text_of_disagreement(std::uint64_t theirs, std::int32_t their_rank, std::uint64_t mine,
                                 std::int32_t my_rank, const char* collective) {
  const UserCall mine_called = user_call_of(mine);
  const char* const call = mine_called == UserCall::none ? collective : name_of(mine_called);
  if (disagreed_before(theirs, mine))
    return fmt::format(
        "{}: members of the team disagree about an earlier call: ranks {} and {} have called "
        "different ones of broadcast, gather, scatter, reduce and scan, or with different roots or "
        "counts. `armature run --check` finds the call",
        call, their_rank, my_rank);
  const bool names_part = mine_called == user_call_of(theirs);
  return fmt::format("{}: members of the team disagree{}: {}, {}", call,
                     same_but_for_root(theirs, mine) ? " about the root" : "",
                     text_of(theirs, their_rank, names_part), text_of(mine, my_rank, names_part));
}

}  // namespace armature::team

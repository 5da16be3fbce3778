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
      "a barrier", "a broadcast",  "an allgather", "a gather", "a scatter",         "an alltoall",
      "a reduce",  "an allreduce", "a reduction",  "a scan",   "an exclusive scan", "an agreement"};
  const std::uint64_t kind = signature >> kind_shift;
  if (kind >= std::size(names)) return "something";
  if (is_barrier(static_cast<RoundKind>(kind))) return names[kind];
  return fmt::format("{} of {} bytes", names[kind], signature & bytes_mask);
}

}  // namespace

bool is_barrier(RoundKind kind) {
  return kind == RoundKind::barrier || kind == RoundKind::leaving || kind == RoundKind::agreement;
}

std::uint64_t signature_of(const Agreed& agreed, std::size_t shown) {
  return (static_cast<std::uint64_t>(agreed.kind) << kind_shift) |
         ((static_cast<std::uint64_t>(agreed.root) & root_mask) << root_shift) |
         (std::uint64_t{shown} << MemberLine::shown_shift) | (agreed.bytes & bytes_mask);
}

bool same_call(std::uint64_t a, std::uint64_t b) {
  return ((a ^ b) & ~MemberLine::shown_mask) == 0;
}

bool same_but_for_root(std::uint64_t a, std::uint64_t b) {
  return ((a ^ b) & ~(MemberLine::shown_mask | root_mask << root_shift)) == 0;
}

std::string text_of(std::uint64_t signature, std::int32_t rank) {
  if (signature >> kind_shift == static_cast<std::uint64_t>(RoundKind::leaving))
    return fmt::format("rank {} has returned already", rank);
  return fmt::format("rank {} is in {}", rank, call_of(signature));
}

}  // namespace armature::team

// Finding a place that is free at all members of a team. Each offers its highest one below the last
// that all had in mind; the lowest of these is where all look next, until they offer the same.
// It ends: each step but the last goes down at one member at least, past something that it has.
#include "armature/layer/symmetric.hpp"

#include <bit>
#include <cstdint>

#include <fmt/format.h>

#include "armature/collectives.hpp"
#include "base/bytes.hpp"
#include "base/fail.hpp"
#include "space/pages.hpp"
#include "team/agree.hpp"
#include "team/team_state.hpp"
#include "wait/rank_context.hpp"

namespace armature::layer {
namespace {

using base::fail;
using base::readable_bytes;

/// The least and the greatest number of a team's members.
struct Bounds {
  std::uint64_t least, greatest;

  static Bounds of(const Team& team, std::uint64_t mine) {
    return allreduce(team, Bounds{mine, mine}, [](const Bounds& a, const Bounds& b) {
      return Bounds{std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
    });
  }
  [[nodiscard]] bool are_one() const { return least == greatest; }
};

void require_sense(const Team& team, std::size_t bytes, std::size_t alignment) {
  const bool makes_sense = std::has_single_bit(alignment) && alignment <= space::page_bytes &&
                           bytes <= SIZE_MAX - space::page_bytes;
  const Bounds asked = Bounds::of(team, makes_sense ? bytes : SIZE_MAX);
  if (asked.greatest == SIZE_MAX)
    fail(Errc::bad_argument,
         fmt::format("allocate_symmetric: a member asks for what cannot be; this one for {} bytes "
                     "aligned to {}, which is to be a power of two up to {}",
                     bytes, alignment, space::page_bytes));
  if (!asked.are_one())
    fail(Errc::bad_argument, fmt::format("allocate_symmetric: members ask for {} to {} bytes, this "
                                         "one for {}: all must ask for the same",
                                         asked.least, asked.greatest, bytes));
}

/// 0, which is in no heap: nowhere.
std::uint64_t common_place(const Team& team, space::AddressSpace& space, std::size_t bytes) {
  for (std::uint64_t end = UINT64_MAX;;) {
    const Bounds offers = Bounds::of(team, space.symmetric().place_for(bytes, end).value_or(0));
    if (offers.least == 0 || offers.are_one()) return offers.least;
    end = offers.least + bytes;
  }
}

}  // namespace

void* allocate_symmetric(const Team& team, std::size_t bytes, std::size_t alignment) {
  constexpr const char* call = "allocate_symmetric";
  wait::require_no_handler(wait::this_rank(call), call);
  detail::TeamState& state = team.checked(call);
  space::AddressSpace& space = state.space();
  require_sense(team, bytes, alignment);
  const std::size_t pages = std::max(space::page_above(bytes), space::page_bytes);
  const std::uint64_t place = common_place(team, space, pages);
  if (place == 0)
    fail(Errc::out_of_memory,
         fmt::format(
             "{}: no {} are free at one place at all {} members, in segments of {} (armature "
             "run --segment-size)",
             call, readable_bytes(pages), team.size(), readable_bytes(space.segment_bytes())));
  space::AddressSpace::Failure failure;
  void* const mine = space.symmetric().allocate(place, pages, failure);
  std::optional<team::Objection> objection;
  if (mine == nullptr)
    objection = {Errc::out_of_memory,
                 fmt::format("{} asked for, but {} leaves {}", readable_bytes(pages), failure.limit,
                             readable_bytes(failure.free))};
  try {
    team::agree(state, objection, call);
  } catch (...) {
    if (mine != nullptr) space.symmetric().free(mine);
    throw;
  }
  return mine;
}

void free_symmetric(const Team& team, void* mine) {
  constexpr const char* call = "free_symmetric";
  wait::require_no_handler(wait::this_rank(call), call);
  detail::TeamState& state = team.checked(call);
  std::optional<team::Objection> objection;
  if (!state.space().symmetric().begins(mine))
    objection = {Errc::misuse, "no symmetric memory begins there, or it is freed already"};
  team::agree(state, objection, call);
  state.space().symmetric().free(mine);
}

std::ptrdiff_t segment_stride() {
  return static_cast<std::ptrdiff_t>(wait::mapping("segment_stride").segment_bytes());
}

}  // namespace armature::layer

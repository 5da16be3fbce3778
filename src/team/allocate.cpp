// Collective allocation. All members get their piece or none does: each allocates its own, tells
// the others how that went, and when one has failed all give theirs back and throw the same
// message.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "armature/team.hpp"
#include "base/bytes.hpp"
#include "base/fail.hpp"
#include "progress/rank_context.hpp"
#include "team/team_state.hpp"
#include "topology/memory.hpp"

namespace armature {
namespace {

using base::fail;
using base::readable_bytes;
using detail::Allotment;
using space::AddressSpace;
using space::Allocation;

/// What all hear of each.
struct Attempted {
  std::uint64_t address = 0;  // 0: it has failed
  std::uint64_t bytes = 0;
};

/// What a member tells the others about its attempt, if that has failed.
struct Outcome {
  static constexpr std::size_t text_max = 200;

  std::uint64_t bytes = 0;
  std::uint64_t address = 0;  // 0: failed, for the reasons below
  std::uint64_t free = 0;
  char limit[text_max] = {};
};

void set_failure(Outcome& outcome, const AddressSpace::Failure& failure) {
  outcome.free = failure.free;
  std::strncpy(outcome.limit, failure.limit.c_str(), Outcome::text_max - 1);
}

/// The members of this rank's node.
bool is_here(const detail::TeamState& team, int member) {
  return team.space().is_here(team.members()[static_cast<std::size_t>(member)]);
}

/// Whether what the members of a node ask for together fits it, which no member can see alone. The
/// first member of each node looks once for its node, so that all come to the same answer.
void require_room(const Team& team, const detail::TeamState& state, std::size_t bytes) {
  constexpr std::uint64_t worth_a_look = 16 << 20;
  std::uint64_t all = 0, here = 0;
  const auto add = [](std::uint64_t& sum, std::uint64_t ask) {
    sum = __builtin_add_overflow(sum, ask, &sum) ? UINT64_MAX : sum;
  };
  const std::vector<std::uint64_t> asks = team.allgather(std::uint64_t{bytes});
  for (int i = 0; i < team.size(); ++i) {
    add(all, asks[static_cast<std::size_t>(i)]);
    if (is_here(state, i)) add(here, asks[static_cast<std::size_t>(i)]);
  }
  if (all < worth_a_look) return;
  Outcome verdict;
  verdict.bytes = here;
  verdict.free = UINT64_MAX;
  if (state.replica().leader() == state.rank()) {
    const topology::MemoryRoom room = topology::memory_room();
    set_failure(verdict, {room.limit, room.bytes});
  }
  const std::vector<Outcome> verdicts = team.allgather(verdict);
  const auto full = std::find_if(verdicts.begin(), verdicts.end(),
                                 [](const Outcome& v) { return v.bytes > v.free; });
  if (full == verdicts.end()) return;
  const auto words = [](std::uint64_t n) {
    return n == UINT64_MAX ? "more than can be addressed" : readable_bytes(n);
  };
  const auto most = std::max_element(asks.begin(), asks.end());
  fail(Errc::out_of_memory,
       fmt::format("allocate: {} ranks ask for {} together, rank {} for {} of it and this one for "
                   "{}, but {} leaves {}",
                   team.size(), words(all),
                   static_cast<int>(team.world_rank(static_cast<int>(most - asks.begin()))),
                   words(*most), words(bytes), full->limit, readable_bytes(full->free)));
}

Outcome attempt(AddressSpace& space, std::size_t bytes, std::size_t alignment) {
  Outcome outcome;
  outcome.bytes = bytes;
  AddressSpace::Failure failure;
  void* address = space.allocate(bytes, alignment, Allocation::Kind::collective, failure);
  outcome.address = reinterpret_cast<std::uint64_t>(address);
  if (address == nullptr) set_failure(outcome, failure);
  return outcome;
}

}  // namespace

std::shared_ptr<const Allotment> Team::allocate_bytes(std::size_t bytes,
                                                      std::size_t alignment) const {
  detail::TeamState& state = checked("Team::allocate");
  AddressSpace& space = state.space();
  require_room(*this, state, bytes);
  const Outcome mine = attempt(space, bytes, alignment);
  const std::vector<Attempted> pieces = allgather(Attempted{mine.address, mine.bytes});
  auto allotment = std::make_shared<Allotment>();
  allotment->mine = state.rank();
  allotment->team = state.id();
  allotment->shares.reserve(pieces.size());
  for (int i = 0; i < state.size(); ++i) {
    const Attempted& piece = pieces[static_cast<std::size_t>(i)];
    if (piece.address == 0) {
      if (mine.address != 0)
        (void)space.free(reinterpret_cast<void*>(mine.address), Allocation::Kind::collective);
      const Outcome failed = broadcast(mine, i);
      fail(Errc::out_of_memory,
           fmt::format("allocate: rank {} asked for {}, but {} leaves {}",
                       static_cast<int>(world_rank(i)), readable_bytes(failed.bytes), failed.limit,
                       readable_bytes(failed.free)));
    }
    allotment->shares.push_back(
        {world_rank(i), reinterpret_cast<void*>(piece.address), piece.bytes});
  }
  return allotment;
}

void Team::free_allotment(const std::shared_ptr<const Allotment>& allotment) const {
  detail::TeamState& state = checked("Team::free");
  AddressSpace& space = state.space();
  // Nobody may still be using it.
  barrier();
  if (allotment == nullptr || allotment->freed || allotment->team != state.id())
    fail(Errc::misuse,
         "Team::free: this piece was not allocated by this team, or is freed already");
  allotment->freed = true;
  ARMATURE_ASSERT(space.free(allotment->shares[static_cast<std::size_t>(allotment->mine)].address,
                             Allocation::Kind::collective));
}

}  // namespace armature

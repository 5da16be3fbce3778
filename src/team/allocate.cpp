// Collective allocation. All members get their piece or none does: each allocates its own, tells
// the others how that went, and when one has failed all give theirs back and throw the same
// message.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "armature/collectives.hpp"
#include "armature/named_call.hpp"
#include "armature/team.hpp"
#include "base/bytes.hpp"
#include "base/fail.hpp"
#include "space/node_memory.hpp"
#include "team/agree.hpp"
#include "team/free.hpp"
#include "team/team_state.hpp"
#include "topology/memory.hpp"
#include "wait/rank_context.hpp"

namespace armature {
namespace {

using base::fail;
using base::readable_bytes;
using detail::AllocationTable;
using space::AddressSpace;
using space::Allocation;

/// The outcome of a member's attempt, which it tells the others if the attempt has failed.
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

std::uint64_t added(std::uint64_t a, std::uint64_t b) {
  return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

/// The number of bytes that the members of this node ask for together.
std::uint64_t asked_here(const Team& team, const detail::TeamState& state, std::size_t bytes,
                         std::uint64_t all) {
  if (state.space().header().nodes == 1) return all;
  const std::vector<std::uint64_t> asks = allgather(team, std::uint64_t{bytes});
  std::uint64_t here = 0;
  for (int i = 0; i < team.size(); ++i)
    if (is_here(state, i)) here = added(here, asks[static_cast<std::size_t>(i)]);
  return here;
}

/// Whether what the members of a node ask for together fits it, which no member can see alone. The
/// first member of each node looks once for its node, so that all come to the same answer.
void require_room(const Team& team, const detail::TeamState& state, std::size_t bytes) {
  constexpr std::uint64_t worth_a_look = 16 << 20;
  const std::uint64_t all = allreduce(team, std::uint64_t{bytes}, added);
  if (all < worth_a_look) return;
  Outcome verdict;
  verdict.bytes = asked_here(team, state, bytes, all);
  verdict.free = UINT64_MAX;
  if (state.proxy().leader() == state.rank()) {
    const topology::MemoryRoom room = space::NodeMemory(state.space()).room_for(verdict.bytes);
    set_failure(verdict, {room.limit, room.bytes});
  }
  const int nobody = team.size();
  const int first =
      allreduce(team, verdict.bytes > verdict.free ? state.rank() : nobody, Minimum{});
  if (first == nobody) return;
  const Outcome full = broadcast(team, verdict, first);
  const std::uint64_t most = allreduce(team, std::uint64_t{bytes}, Maximum{});
  const int who = allreduce(team, bytes == most ? state.rank() : nobody, Minimum{});
  const auto words = [](std::uint64_t n) {
    return n == UINT64_MAX ? "more than can be addressed" : readable_bytes(n);
  };
  fail(Errc::out_of_memory,
       fmt::format("allocate: {} ranks ask for {} together, rank {} for {} of it and this one for "
                   "{}, but {} leaves {}",
                   team.size(), words(all), static_cast<int>(team.world_rank(who)), words(most),
                   words(bytes), full.limit, readable_bytes(full.free)));
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

/// Adds to the table what all members have been given. If all members have allocated the same
/// before, the shares form one row; then no member hears of each of the others.
void share_out(const Team& team, AllocationTable& table, const AllocationTable::Share& mine) {
  struct Joined {
    AllocationTable::Row row;
    bool are_one = true;
  };
  const auto join = [](Joined a, const Joined& b) {
    a.are_one = a.are_one && b.are_one && a.row.append(b.row);
    return a;
  };
  const Joined all = allreduce(team, Joined{{mine}}, join);
  if (all.are_one) return table.add(all.row);
  for (const AllocationTable::Share& share : allgather(team, mine)) table.add({share});
  table.shrink();
}

/// All members hear why, of the first one that has failed.
[[noreturn]] void give_back_and_fail(const Team& team, AddressSpace& space, const Outcome& mine,
                                     int first) {
  if (mine.address != 0)
    (void)space.free(reinterpret_cast<void*>(mine.address), Allocation::Kind::collective);
  const Outcome failed = broadcast(team, mine, first);
  fail(Errc::out_of_memory,
       fmt::format("allocate: rank {} asked for {}, but {} leaves {}",
                   static_cast<int>(team.world_rank(first)), readable_bytes(failed.bytes),
                   failed.limit, readable_bytes(failed.free)));
}

}  // namespace

std::shared_ptr<const AllocationTable> Team::allocate_bytes(std::size_t bytes,
                                                            std::size_t alignment) const {
  detail::TeamState& state = checked("Team::allocate");
  const detail::NamedCall named(*this, detail::UserCall::allocate);
  AddressSpace& space = state.space();
  require_room(*this, state, bytes);
  const Outcome mine = attempt(space, bytes, alignment);
  const int failed =
      armature::allreduce(*this, mine.address == 0 ? state.rank() : state.size(), Minimum{});
  if (failed != state.size()) give_back_and_fail(*this, space, mine, failed);
  auto table = std::make_shared<AllocationTable>();
  table->mine = state.rank();
  table->team = state.id();
  table->own = {Rank(space.me()), reinterpret_cast<void*>(mine.address), bytes};
  share_out(*this, *table, table->own);
  return table;
}

void team::free_together(detail::TeamState& team,
                         const std::shared_ptr<const AllocationTable>& table, const char* call,
                         const char* what_is_wrong) {
  std::optional<Objection> objection;
  if (table == nullptr || table->freed || table->team != team.id())
    objection = {Errc::misuse, what_is_wrong};
  agree(team, objection, call);  // a barrier: nobody may still be using it
  table->freed = true;
  ARMATURE_ASSERT(
      team.space().free(table->share(table->mine).address, Allocation::Kind::collective));
}

void Team::free_table(const std::shared_ptr<const AllocationTable>& table) const {
  const detail::NamedCall named(*this, detail::UserCall::free);
  team::free_together(checked("Team::free"), table, "Team::free",
                      "this piece was not allocated by this team, or is freed already");
}

}  // namespace armature

// The old symbol of free_table(), for programs that were compiled before.
#pragma GCC diagnostic ignored "-Wattribute-alias"
extern "C" ARMATURE_API void
_ZNK8armature4Team14free_allotmentERKSt10shared_ptrIKNS_6detail9AllotmentEE() __attribute__((
    alias("_ZNK8armature4Team10free_tableERKSt10shared_ptrIKNS_6detail15AllocationTableEE")));

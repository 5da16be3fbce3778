// Collective allocation: the team's allocation table as arrays of addresses. ARMCI_Free is told one
// address and nothing else, and NULL by a member whose piece is empty. So live tables are listed,
// and the members find theirs by exchanging the addresses they hold. A member whose
// arguments are wrong still takes part, asking for more than there is: all fail instead of some
// waiting for it.

#include "memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <armature/collectives.hpp>
#include <armature/error.hpp>
#include <armature/piece.hpp>
#include <armature/world.hpp>

#include "armci.h"
#include "calls.hpp"
#include "groups.hpp"
#include "job.hpp"
#include "of_rank.hpp"
#include "turn.hpp"

namespace armci {

namespace {

constexpr std::size_t alignment = 64;

struct Allocation {
  armature::Team team;
  std::shared_ptr<const armature::detail::AllocationTable> table;

  [[nodiscard]] void* piece(std::size_t member) const {
    const auto share = table->share(static_cast<int>(member));
    return share.bytes == 0 ? nullptr : share.address;
  }
  [[nodiscard]] std::size_t members() const { return static_cast<std::size_t>(table->members()); }
};

struct Allocations {
  std::mutex lock;
  std::vector<Allocation> live;
};

OfRank<Allocations> allocations;

int allocate(const char* call, const armature::Team& team, void** pieces, armci_size_t bytes) {
  const int code = pieces == nullptr ? null_pointer : bytes < 0 ? bad_count : ok;
  const std::size_t wanted = code == ok ? static_cast<std::size_t>(bytes) : SIZE_MAX;
  try {
    Allocation made{team, team.allocate_bytes(wanted, alignment)};
    for (std::size_t member = 0; member < made.members(); ++member)
      pieces[member] = made.piece(member);
    const bool empty = std::all_of(pieces, pieces + made.members(), [](void* p) { return !p; });
    if (empty) {
      team.free_table(made.table);
    } else {
      const std::lock_guard held(allocations->lock);
      allocations->live.push_back(std::move(made));
    }
    return ok;
  } catch (const armature::Error& error) {
    return explain(call, code != ok ? code : failed, error.what());
  }
}

/// Takes the allocation off the list that has these addresses; an empty one if there is none.
Allocation take(const armature::Team& team, const std::vector<std::uintptr_t>& addresses) {
  const std::lock_guard held(allocations->lock);
  auto& live = allocations->live;
  const auto found = std::ranges::find_if(live, [&](const Allocation& allocation) {
    if (allocation.team.state() != team.state()) return false;
    for (std::size_t member = 0; member < addresses.size(); ++member)
      if (reinterpret_cast<std::uintptr_t>(allocation.piece(member)) != addresses[member])
        return false;
    return true;
  });
  if (found == live.end()) return {};
  Allocation taken = std::move(*found);
  live.erase(found);
  return taken;
}

int release(const armature::Team& team, void* piece) {
  const auto addresses = allgather(team, reinterpret_cast<std::uintptr_t>(piece));
  if (std::ranges::all_of(addresses, [](std::uintptr_t address) { return address == 0; }))
    return ok;
  const Allocation allocation = take(team, addresses);
  if (!allocation.table)
    throw armature::Error(armature::Errc::misuse,
                          "these addresses, one of each member, are not of one live allocation");
  allocation.team.free_table(allocation.table);
  return ok;
}

/// Returns the team whose allocation my piece is part of; the world if it does not say.
armature::Team owner_of_piece(void* piece) {
  const std::lock_guard held(allocations->lock);
  for (const Allocation& allocation : allocations->live) {
    const auto mine = static_cast<std::size_t>(allocation.table->mine);
    if (piece != nullptr && allocation.piece(mine) == piece) return allocation.team;
  }
  return joined();
}

}  // namespace

void forget_allocations() {
  const std::lock_guard held(allocations->lock);
  allocations->live.clear();
}

}  // namespace armci

using namespace armci;

extern "C" {

int PARMCI_Malloc(void** pieces, armci_size_t bytes) {
  return answered(__func__,
                  in_turn([&] { return allocate("ARMCI_Malloc", joined(), pieces, bytes); }));
}

int PARMCI_Free(void* piece) {
  return answered(__func__, in_turn([=] { return release(owner_of_piece(piece), piece); }));
}

int ARMCI_Malloc_group(void** pieces, armci_size_t bytes, ARMCI_Group* group) {
  return answered(__func__, in_turn([&] {
                    return allocate("ARMCI_Malloc_group", team_of(group), pieces, bytes);
                  }));
}

int ARMCI_Free_group(void* piece, ARMCI_Group* group) {
  return answered(__func__, in_turn([=] { return release(team_of(group), piece); }));
}

int PARMCI_Malloc_memdev(void** pieces, armci_size_t bytes, const char* /*device*/) {
  return PARMCI_Malloc(pieces, bytes);
}

int PARMCI_Malloc_group_memdev(void** pieces, armci_size_t bytes, ARMCI_Group* group,
                               const char* /*device*/) {
  return ARMCI_Malloc_group(pieces, bytes, group);
}

int PARMCI_Free_memdev(void* piece) { return PARMCI_Free(piece); }

void* PARMCI_Malloc_local(armci_size_t bytes) {
  void* memory = nullptr;
  answered(__func__, [&]() -> int {
    if (bytes > 0)
      memory =
          joined().allocate_local_bytes_for_overwrite(static_cast<std::size_t>(bytes), alignment);
    return ok;
  });
  return memory;
}

int PARMCI_Free_local(void* memory) {
  if (memory == nullptr) return ok;
  return answered(__func__, [=]() -> int {
    return joined().free_local_bytes(armature::Rank(my_process()), memory), ok;
  });
}

void PARMCI_Memget(size_t bytes, armci_meminfo_t* meminfo, int memflg) {
  insisted(__func__, [=] {
    if (meminfo == nullptr || bytes == 0 || memflg != 0)
      throw armature::Error(armature::Errc::bad_argument,
                            "a description to fill in, a size above 0 and flags of 0 are needed");
    auto* memory = static_cast<char*>(joined().allocate_local_bytes(bytes, alignment));
    *meminfo = {};
    meminfo->armci_addr = memory;
    meminfo->addr = memory;
    meminfo->size = bytes;
    meminfo->cpid = my_process();
  });
}

void* PARMCI_Memat(armci_meminfo_t* meminfo, long offset) {
  return meminfo == nullptr ? nullptr : meminfo->armci_addr + offset;
}

void PARMCI_Memdt(armci_meminfo_t* /*meminfo*/, long /*offset*/) {}  // nothing was attached

void PARMCI_Memctl(armci_meminfo_t* meminfo) {
  insisted(__func__, [=] {
    if (meminfo == nullptr) throw armature::Error(armature::Errc::bad_argument, "no description");
    if (meminfo->cpid == my_process() && meminfo->addr != nullptr)
      joined().free_local_bytes(armature::Rank(my_process()), meminfo->addr);
    meminfo->addr = nullptr;
    meminfo->armci_addr = nullptr;
  });
}

void PARMCI_Access_begin(void* /*memory*/) {}
void PARMCI_Access_end(void* /*memory*/) {}

void ARMCI_Copy(void* src, void* dst, int bytes) {
  if (bytes > 0 && src != nullptr && dst != nullptr)
    std::memmove(dst, src, static_cast<std::size_t>(bytes));
}

}  // extern "C"

ARMCI_TWIN(Malloc);
ARMCI_TWIN(Free);
ARMCI_TWIN(Malloc_memdev);
ARMCI_TWIN(Malloc_group_memdev);
ARMCI_TWIN(Free_memdev);
ARMCI_TWIN(Malloc_local);
ARMCI_TWIN(Free_local);
ARMCI_TWIN(Memget);
ARMCI_TWIN(Memat);
ARMCI_TWIN(Memdt);
ARMCI_TWIN(Memctl);
ARMCI_TWIN(Access_begin);
ARMCI_TWIN(Access_end);

#include "team/block.hpp"

#include <algorithm>
#include <new>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/fail.hpp"

namespace armature::team {

using detail::TeamState;
using space::TeamBlock;

Rank leader_of(std::span<const Rank> members, Rank rank, const space::Mapping& mapping) {
  return *std::find_if(members.begin(), members.end(), [&](Rank member) {
    return mapping.slot(member).node == mapping.slot(rank).node;
  });
}

std::uint64_t NewId::value() const {
  return number_ * static_cast<std::uint64_t>(me_.space.ranks()) +
         static_cast<std::uint64_t>(me_.space.me());
}

OwnBlock::~OwnBlock() {
  if (block_ != nullptr && !is_shared_)
    ARMATURE_ASSERT(me_.space.free(block_, space::Allocation::Kind::internal));
}

std::optional<Objection> OwnBlock::make(std::span<const Rank> members, std::uint64_t id) {
  space::AddressSpace::Failure failure;
  void* memory = nullptr;
  if (id > UINT32_MAX)
    failure = {fmt::format("a rank's share of 2^32 teams of the job ({})",
                           UINT32_MAX / static_cast<std::uint32_t>(me_.space.ranks())),
               0};
  else
    memory = me_.space.allocate_sparse(TeamBlock::bytes(members.size()), failure);
  if (memory == nullptr)
    return Objection{Errc::out_of_memory,
                     fmt::format("no memory for a team of {}: {} leaves {}", members.size(),
                                 failure.limit, base::readable_bytes(failure.free))};
  block_ = new (memory) TeamBlock;
  block_->id = static_cast<std::uint32_t>(id);
  block_->size = static_cast<std::uint32_t>(members.size());
  block_->users = static_cast<std::uint32_t>(
      std::ranges::count_if(members, [&](Rank rank) { return me_.space.is_here(rank); }));
  std::ranges::transform(members, block_->ranks(), [](Rank r) { return static_cast<int>(r); });
  return std::nullopt;
}

TeamBlock& OwnBlock::share() {
  is_shared_ = true;
  return *block_;
}

std::shared_ptr<TeamState> meet(std::span<const Rank> members, wait::RankContext& me,
                                TeamBlock& block, const Making& making) {
  const auto mine = std::find(members.begin(), members.end(), me.space.me()) - members.begin();
  auto state =
      std::make_shared<TeamState>(me.space, block, static_cast<int>(mine), making.makers());
  state->round({TeamState::Kind::barrier}, 0, "barrier");
  return state;
}

}  // namespace armature::team

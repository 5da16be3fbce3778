#include "team/exposed.hpp"

#include <algorithm>
#include <cstring>

#include "armature/detail/transfer.hpp"
#include "base/fail.hpp"
#include "image/copies.hpp"
#include "team/kernel_reads.hpp"

namespace armature::team {

using detail::TeamState;
using space::AddressSpace;

namespace {

constexpr std::size_t line_bytes = 64;

/// From so many bytes of a block on the kernel may read it.
constexpr std::size_t kernel_reads_min = 32 << 10;

/// The size of half a window. Larger ones need fewer rounds, each of which takes as long as copying
/// a mebibyte where cores are busy. Smaller ones need fewer new pages, each of which takes as long
/// as copying what it holds. A root reads one member's window at a time, so those are small.
std::size_t half_max(const TeamState& team, Flow flow) {
  const auto members = static_cast<std::size_t>(team.size());
  constexpr std::size_t mebi = 1 << 20, least = 64 << 10, most = 8 * mebi;
  switch (flow) {
    case Flow::from_root:
      return most;
    case Flow::to_root:
      return std::clamp(16 * mebi / members, least, most);
    case Flow::among_all:
      break;
  }
  return std::clamp(64 * mebi / members, least, 2 * most);
}

/// Whether all members run in this process, and stay there.
bool are_in_one_process(const TeamState& team) {
  const AddressSpace& space = team.space();
  if (space.header().ranks_are_virtual != 0)
    return space.header().processes == 1 && !space.header().ranks_may_move();
  const int process = space.slot(space.me()).process;
  return std::ranges::all_of(team.members(), [&](std::int32_t rank) {
    return space.is_here(rank) && space.slot(rank).process == process;
  });
}

/// The rank in whose segment all members can read the bytes; or none.
Rank readable_owner(const TeamState& team, const std::byte* data, std::size_t bytes) {
  const AddressSpace& space = team.space();
  const Rank owner = space.owner(data);
  if (owner == Rank::none() || !space.is_here(owner)) return Rank::none();
  const bool is_virtual = space.header().ranks_are_virtual != 0;
  // Another one may go to another node meanwhile.
  if (is_virtual && owner != space.me()) return Rank::none();
  if (space.holds(owner, reinterpret_cast<std::uint64_t>(data), bytes)) return owner;
  // Stacks of virtual ranks, and what their malloc gives, can be read on the node. So can globals
  // of their own, but not constants.
  const bool is_readable =
      is_virtual && !team.proxy().is_far() && !image::is_text_of_copy(data, bytes);
  return is_readable && space.owner(data + bytes - 1) == owner ? owner : Rank::none();
}

/// Whether members are ranks of several processes of one node, which they do not leave.
bool are_processes_of_one_node(const TeamState& team) {
  return !team.proxy().is_far() && team.space().header().ranks_are_virtual == 0 &&
         !are_in_one_process(team);
}

}  // namespace

Exposed::Exposed(TeamState& team, const Source& source, const Agreed& agreed, Flow flow,
                 std::size_t piece_max)
    : team_(team), source_(source), block_bytes_(agreed.bytes) {
  const std::size_t all = source.blocks * block_bytes_;
  place_.piece = std::min(block_bytes_, piece_max);
  const Rank owner = readable_owner(team, source.data, all);
  place_.owner = owner;
  place_.is_overwritten = source.is_overwritten;
  if (source.by_rounds) return;
  const bool is_readable =
      owner != Rank::none() || (are_in_one_process(team) && !image::is_exchanged(source.data, all));
  if (!source.is_overwritten && !is_readable && block_bytes_ >= kernel_reads_min &&
      are_processes_of_one_node(team))
    way_ = choose_way(team, agreed.kind, all);
  if (way_ == Way::kernel) place_.process_of = team.space().me();
  if (!source.is_overwritten && (is_readable || way_ == Way::kernel))
    place_.address = reinterpret_cast<std::uint64_t>(source.data);
  else
    open_window(all, std::min({all, std::max(half_max(team, flow), source.blocks),
                               place_.piece * source.blocks}));
}

Exposed::~Exposed() {
  if (window_ != nullptr)
    ARMATURE_ASSERT(team_.space().free(window_, space::Allocation::Kind::local));
}

void Exposed::show() const {
  std::memcpy(team_.lines().outgoing(sizeof place_), &place_, sizeof place_);
}

void Exposed::fill(std::size_t step) const {
  const Part part = part_of(block_bytes_, place_.piece, step);
  if (place_.half == 0 || part.bytes == 0) return;
  const std::size_t own =
      source_.blocks > 1 ? static_cast<std::size_t>(team_.rank()) : source_.blocks;
  fill(step, part, 0, own);
  fill(step, part, own + 1, source_.blocks);
}

void Exposed::fill(std::size_t step, const Part& part, std::size_t block,
                   std::size_t behind) const {
  const bool are_whole = part.bytes == block_bytes_;  // and lie in the window as they do here
  const std::size_t blocks = are_whole ? behind - block : 1;
  for (; block < behind; block += blocks)
    detail::copy_in(place_.at(block, block_bytes_, step),
                    source_.data + block * block_bytes_ + part.at, blocks * part.bytes);
}

void Exposed::open_window(std::size_t all, std::size_t half) {
  AddressSpace::Failure failure;
  window_ = team_.space().local().allocate(half < all ? 2 * half : all, line_bytes,
                                           AddressSpace::Contents::any, failure);
  place_.address = reinterpret_cast<std::uint64_t>(window_);
  place_.owner = team_.space().me();
  place_.half = half;
  const std::size_t room = half / source_.blocks;
  if (room >= place_.piece) return;
  place_.piece = room < line_bytes ? room : room / line_bytes * line_bytes;
}

}  // namespace armature::team

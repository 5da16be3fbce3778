#include "team/exposure.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "armature/detail/transfer.hpp"
#include "armature/handle.hpp"
#include "base/fail.hpp"
#include "image/copies.hpp"
#include "net/network.hpp"
#include "rma/protocol.hpp"

namespace armature::team {

using detail::TeamState;
using space::AddressSpace;
using Agreed = TeamState::Agreed;

namespace {

/// The place of a member's blocks while others read them. A window has room for a piece of each
/// block and, half a window further, for the next one.
struct Place {
  std::uint64_t address = 0;  // 0: there is no memory for a window
  std::uint64_t piece = 0;    // bytes of each block that a step exposes
  std::uint64_t half = 0;     // of a window; 0: the blocks lie there whole
  std::int32_t owner = -1;    // the rank in whose segment it lies; -1: the one process of all

  [[nodiscard]] std::size_t steps(std::size_t block_bytes) const {
    return (block_bytes + piece - 1) / piece;
  }
  [[nodiscard]] std::byte* at(std::size_t block, std::size_t block_bytes, std::size_t step) const {
    return reinterpret_cast<std::byte*>(address) +
           (half > 0 ? step % 2 * half + block * piece : block * block_bytes + step * piece);
  }
};
static_assert(sizeof(Place) <= space::MemberLine::inline_bytes);

/// The bytes of a block that a step moves.
struct Part {
  std::size_t at, bytes;
};
Part part_of(std::size_t block_bytes, std::size_t piece, std::size_t step) {
  const std::size_t at = std::min(step * piece, block_bytes);
  return {at, std::min(piece, block_bytes - at)};
}

constexpr std::size_t line_bytes = 64;
constexpr std::size_t mebi = 1 << 20;

/// The size of a broadcast's steps between nodes, where a node's members wait for the first one.
constexpr std::size_t relayed_step = mebi;

/// The size of half a window. Larger ones need fewer rounds, each of which takes as long as copying
/// a mebibyte where cores are busy. Smaller ones need fewer new pages, each of which takes as long
/// as copying what it holds. A root reads one member's window at a time, so those are small.
std::size_t half_max(const TeamState& team, Flow flow) {
  const auto members = static_cast<std::size_t>(team.size());
  constexpr std::size_t least = 64 << 10, most = 8 * mebi;
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

/// This member's blocks, as others can read them; and the window, if that takes one.
class Exposed {
 public:
  Exposed(TeamState& team, const Source& source, std::size_t block_bytes, Flow flow,
          std::size_t piece_max = SIZE_MAX)
      : team_(team), source_(source), block_bytes_(block_bytes) {
    const std::size_t all = source.blocks * block_bytes;
    place_.piece = std::min(block_bytes, piece_max);
    const Rank owner = readable_owner(team, source.data, all);
    place_.owner = owner;
    if (source.by_rounds) return;
    const bool is_readable = owner != Rank::none() ||
                             (are_in_one_process(team) && !image::is_exchanged(source.data, all));
    if (!source.is_overwritten && is_readable)
      place_.address = reinterpret_cast<std::uint64_t>(source.data);
    else
      open_window(all, std::min({all, std::max(half_max(team, flow), source.blocks),
                                 place_.piece * source.blocks}));
  }
  Exposed(const Exposed&) = delete;
  Exposed& operator=(const Exposed&) = delete;
  ~Exposed() {
    if (window_ != nullptr)
      ARMATURE_ASSERT(team_.space().free(window_, space::Allocation::Kind::local));
  }

  [[nodiscard]] const Place& place() const { return place_; }
  void show() const { std::memcpy(team_.lines().outgoing(sizeof place_), &place_, sizeof place_); }

  /// Copies those of a step into the window. Of several blocks one is this member's own, which
  /// nobody reads there.
  void fill(std::size_t step) const {
    const Part part = part_of(block_bytes_, place_.piece, step);
    if (place_.half == 0 || part.bytes == 0) return;
    const std::size_t own =
        source_.blocks > 1 ? static_cast<std::size_t>(team_.rank()) : source_.blocks;
    fill(step, part, 0, own);
    fill(step, part, own + 1, source_.blocks);
  }

 private:
  void fill(std::size_t step, const Part& part, std::size_t block, std::size_t behind) const {
    const bool are_whole = part.bytes == block_bytes_;  // and lie in the window as they do here
    const std::size_t blocks = are_whole ? behind - block : 1;
    for (; block < behind; block += blocks)
      detail::copy_in(place_.at(block, block_bytes_, step),
                      source_.data + block * block_bytes_ + part.at, blocks * part.bytes);
  }
  void open_window(std::size_t all, std::size_t half) {
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

  TeamState& team_;
  Source source_;
  std::size_t block_bytes_;
  void* window_ = nullptr;
  Place place_;
};

/// Throws Error(corrupt) for what no member of another node shows.
void require_good(const TeamState& team, int member, const Place& place, std::size_t block_bytes) {
  const AddressSpace& space = team.space();
  const std::int32_t rank = team.members()[static_cast<std::size_t>(member)];
  if (place.piece > 0 && place.piece <= block_bytes && place.owner >= 0 &&
      place.owner < space.ranks() && space.slot(place.owner).node == space.slot(rank).node)
    return;
  base::fail(Errc::corrupt, fmt::format("rank {} shows data of a collective at {:#x} of rank {}",
                                        rank, place.address, place.owner));
}

Place shown_by(const TeamState& team, int member, std::size_t block_bytes) {
  Place place;
  std::memcpy(&place, team.lines().incoming(member, sizeof place), sizeof place);
  if (team.proxy().is_far() && place.address != 0) require_good(team, member, place, block_bytes);
  return place;
}

/// The reads of a step: a copy on the node is done at once, a get from another node when wait() has
/// returned.
class Reading {
 public:
  Reading(const TeamState& team, const char* call)
      : space_(team.space()), call_(call), is_far_(team.proxy().is_far()) {}
  void read(std::byte* to, const std::byte* from, std::size_t bytes, std::int32_t owner) {
    if (bytes == 0 || to == from) return;
    if (is_near(owner)) return detail::copy_in(to, from, bytes);
    net::Network& net = *net::network();
    net.peers().require_reachable(owner, call_);
    const auto get =
        rma::operation_on(rma::Verb::get, Rank(owner), {to, from, bytes}, {.call = call_});
    gets_.emplace_back(rma::start_good(get, rma::Finish::later));
  }
  [[nodiscard]] bool is_near(std::int32_t owner) const {
    return !is_far_ || owner < 0 || space_.is_here(owner);
  }
  void wait() {
    wait_all(gets_);
    gets_.clear();
  }

 private:
  const AddressSpace& space_;
  const char* call_;
  const bool is_far_;
  std::vector<Handle> gets_;
};

/// Reads. A member that cannot, as another has died, gives up, so that nobody waits for it.
template <class Do>
void or_give_up(TeamState& team, Do&& read) {
  try {
    read();
  } catch (...) {
    team.give_up();
    throw;
  }
}

}  // namespace

bool rounds_are_long(const TeamState& team) {
  const space::ControlHeader& job = team.space().header();
  return team.proxy().is_far() || (job.ranks_are_virtual == 0 && job.ranks > job.settings.cores);
}

bool is_one_or_each(const TeamState& team) {
  return !team.proxy().is_far() ||
         team.proxy().nodes().size() == static_cast<std::uint32_t>(team.size());
}

bool exchange(TeamState& team, const Agreed& agreed, const char* call, Flow flow,
              const Source& mine, std::span<const Wanted> wanted) {
  const std::size_t bytes = agreed.bytes;
  std::optional<Exposed> own;
  if (mine.blocks > 0) {
    own.emplace(team, mine, bytes, flow);
    own->show();
    if (own->place().address != 0) own->fill(0);
  }
  team.round(agreed, own ? sizeof(Place) : 0, call);

  std::size_t steps = 1;
  for (int member = 0; member < team.size(); ++member) {
    if (team.lines().shown_by(member) == 0) continue;
    const Place place = shown_by(team, member, bytes);
    if (place.address == 0) return false;
    steps = std::max(steps, place.steps(bytes));
  }
  std::vector<Place> places(wanted.size());
  std::ranges::transform(wanted, places.begin(), [&](const Wanted& block) {
    // Its own it reads where they are.
    return block.member == team.rank()
               ? Place{.address = reinterpret_cast<std::uint64_t>(mine.data), .piece = bytes}
               : shown_by(team, block.member, bytes);
  });
  // Blocks may arrive in place of those that others want: then no more may arrive than was shown.
  if (mine.is_overwritten)
    for (Place& place : places)
      if (place.half == 0) place.piece = own->place().piece;

  Reading reading(team, call);
  const auto read = [&](std::size_t step, bool near) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const Part part = part_of(bytes, places[i].piece, step);
      if (part.bytes > 0 && reading.is_near(places[i].owner) == near)
        reading.read(wanted[i].to + part.at, places[i].at(wanted[i].block, bytes, step), part.bytes,
                     places[i].owner);
    }
  };
  for (std::size_t step = 0; step < steps; ++step) {
    or_give_up(team, [&] {
      read(step, /*near=*/false);
      if (own) own->fill(step + 1);
      read(step, /*near=*/true);
      reading.wait();
    });
    team.round(agreed, 0, call);
  }
  return true;
}

namespace {

/// A broadcast between nodes, in steps: the first member of each node gets what the root exposes,
/// and exposes it to the others of its node, which read it a round later.
class Relayed {
 public:
  Relayed(TeamState& team, const Agreed& agreed, const char* call, std::byte* data)
      : team_(team), agreed_(agreed), call_(call), data_(data) {
    const bool root_is_here =
        team.space().is_here(team.members()[static_cast<std::size_t>(agreed.root)]);
    is_root_ = team.rank() == agreed.root;
    relays_ = !root_is_here && team.rank() == team.proxy().leader();
    lag_ = root_is_here || relays_ ? 0 : 1;
  }

  [[nodiscard]] bool run() {
    if (is_root_ || relays_) {
      own_.emplace(team_, Source{data_, 1}, agreed_.bytes, Flow::from_root, relayed_step);
      own_->show();
      if (is_root_ && own_->place().address != 0) own_->fill(0);
    }
    team_.round(agreed_, own_ ? sizeof(Place) : 0, call_);
    for (int member = 0; member < team_.size(); ++member)
      if (team_.lines().shown_by(member) > 0 && shown_by(team_, member, agreed_.bytes).address == 0)
        return false;
    source_ = shown_by(team_, lag_ == 0 ? agreed_.root : team_.proxy().leader(), agreed_.bytes);

    const std::size_t steps = source_.steps(agreed_.bytes);
    for (std::size_t turn = 0; turn <= steps; ++turn) {
      or_give_up(team_, [&] {
        if (is_root_)
          own_->fill(turn + 1);
        else if (turn >= lag_)
          read(turn - lag_);
      });
      team_.round(agreed_, 0, call_);
    }
    return true;
  }

 private:
  void read(std::size_t step) {
    const Part part = part_of(agreed_.bytes, source_.piece, step);
    if (part.bytes == 0) return;
    std::byte* const mine = data_ + part.at;
    std::byte* const to = relays_ ? own_->place().at(0, agreed_.bytes, step) : mine;
    Reading reading(team_, call_);
    reading.read(to, source_.at(0, agreed_.bytes, step), part.bytes, source_.owner);
    reading.wait();
    if (to != mine) detail::copy_in(mine, to, part.bytes);
  }

  TeamState& team_;
  const Agreed& agreed_;
  const char* call_;
  std::byte* data_;
  bool is_root_, relays_;
  std::size_t lag_;  // behind what the root exposes
  std::optional<Exposed> own_;
  Place source_;  // what this member reads
};

/// Whether a member reads at its own node what another one gets there.
bool is_relayed(const TeamState& team, int root) {
  if (!team.proxy().is_far()) return false;
  const Nodes& nodes = team.proxy().nodes();
  for (std::uint32_t node = 0; node < nodes.size(); ++node) {
    const auto& members = nodes.members(node);
    if (members.size() > 1 &&
        !std::ranges::binary_search(members, static_cast<std::uint32_t>(root)))
      return true;
  }
  return false;
}

}  // namespace

bool broadcast_exposed(TeamState& team, const Agreed& agreed, const char* call, std::byte* data) {
  if (is_relayed(team, agreed.root)) return Relayed(team, agreed, call, data).run();
  if (team.rank() == agreed.root)
    return exchange(team, agreed, call, Flow::from_root, {data, 1}, {});
  const Wanted all{agreed.root, 0, data};
  return exchange(team, agreed, call, Flow::from_root, {}, {&all, 1});
}

}  // namespace armature::team

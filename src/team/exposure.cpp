#include "team/exposure.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "armature/detail/transfer.hpp"
#include "armature/handle.hpp"
#include "base/clock.hpp"
#include "base/fail.hpp"
#include "net/network.hpp"
#include "rma/protocol.hpp"
#include "team/exposed.hpp"
#include "team/kernel_reads.hpp"
#include "wait/cost_model.hpp"
#include "wait/recorded_links.hpp"

namespace armature::team {

using detail::TeamState;
using space::AddressSpace;
using Agreed = TeamState::Agreed;

namespace {

/// The size of a broadcast's steps between nodes, where a node's members wait for the first one.
constexpr std::size_t relayed_step = 1 << 20;

/// Throws Error(corrupt) for what no member of another node shows.
void require_good(const TeamState& team, int member, const Place& place, std::size_t block_bytes) {
  const AddressSpace& space = team.space();
  const std::int32_t rank = team.members()[static_cast<std::size_t>(member)];
  if (place.piece > 0 && place.piece <= block_bytes && place.process_of < 0 && place.owner >= 0 &&
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
      : team_(team), space_(team.space()), call_(call), is_far_(team.proxy().is_far()) {}
  void read(std::byte* to, const std::byte* from, std::size_t bytes, const Place& place) {
    if (bytes == 0) return;
    if (place.process_of >= 0) {
      wait::record_link(place.process_of, bytes);
      is_refused_ = is_refused_ || !read_by_kernel(team_, to, from, bytes, place.process_of, call_);
      return;
    }
    const std::int32_t owner = place.owner;
    if (to == from) return;
    if (wait::CostModel* const model = wait::CostModel::of_job(); model != nullptr && owner >= 0)
        [[unlikely]]
      model->copied(owner, bytes);
    if (is_near(owner)) {
      if (owner >= 0) wait::record_link(owner, bytes);
      return detail::copy_in(to, from, bytes);
    }
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
  /// Whether there is memory that the kernel does not let this process read.
  [[nodiscard]] bool is_refused() const { return is_refused_; }

 private:
  const TeamState& team_;
  const AddressSpace& space_;
  const char* call_;
  const bool is_far_;
  bool is_refused_ = false;
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
  return team.proxy().is_far() || wait::CostModel::of_job() != nullptr ||
         (job.ranks_are_virtual == 0 && job.ranks > job.settings.cores);
}

bool is_one_or_each(const TeamState& team) {
  return !team.proxy().is_far() ||
         team.proxy().nodes().size() == static_cast<std::uint32_t>(team.size());
}

namespace {

/// A summary of what all members have shown, the same at all.
struct Overview {
  std::size_t steps = 1;
  bool lacks_memory = false, by_kernel = false, is_overwritten = false;

  Overview(const TeamState& team, std::size_t block_bytes) {
    for (int member = 0; member < team.size(); ++member) {
      if (team.lines().shown_by(member) == 0) continue;
      const Place place = shown_by(team, member, block_bytes);
      lacks_memory = lacks_memory || place.address == 0;
      if (place.address != 0) steps = std::max(steps, place.steps(block_bytes));
      by_kernel = by_kernel || place.process_of >= 0;
      is_overwritten = is_overwritten || place.is_overwritten;
    }
  }
  /// Members that may have to restart with windows need what they had.
  [[nodiscard]] bool wants_rounds() const { return lacks_memory || (by_kernel && is_overwritten); }
};

/// How an exchange ended, the same at all members.
enum class End { done, wants_rounds, unreadable };

End try_exchange(TeamState& team, const Agreed& agreed, const char* call, Flow flow,
                 const Source& mine, std::span<const Wanted> wanted) {
  const std::size_t bytes = agreed.bytes;
  std::optional<Exposed> own;
  std::uint64_t busy_ns = base::now_ns();
  if (mine.blocks > 0) {
    own.emplace(team, mine, agreed, flow);
    own->show();
    if (own->place().address != 0) own->fill(0);
  }
  // Time in which members may come late is left out.
  busy_ns = base::now_ns() - busy_ns;
  team.round(agreed, own ? sizeof(Place) : 0, call);
  const std::uint64_t all_here_ns = base::now_ns();

  const Overview all(team, bytes);
  if (all.wants_rounds()) return End::wants_rounds;
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
                     places[i]);
    }
  };
  for (std::size_t step = 0; step < all.steps; ++step) {
    or_give_up(team, [&] {
      read(step, /*near=*/false);
      if (own) own->fill(step + 1);
      read(step, /*near=*/true);
      reading.wait();
    });
    const std::size_t shown = reading.is_refused() && step + 1 == all.steps ? 1 : 0;
    if (shown > 0) *team.lines().outgoing(shown) = std::byte{1};
    team.round(agreed, shown, call);
  }
  if (all.by_kernel && team.lines().first_to_show()) return End::unreadable;
  if (own && own->way())
    note_way(agreed.kind, *own->way(), mine.blocks * bytes, busy_ns + base::now_ns() - all_here_ns);
  return End::done;
}

}  // namespace

// All learn in the closing round that a member could not read. Nothing was overwritten that is
// needed again, so they restart, with windows: whoever has the memory fills them itself.
bool exchange(TeamState& team, const Agreed& agreed, const char* call, Flow flow,
              const Source& mine, std::span<const Wanted> wanted) {
  while (true) {
    const End end = try_exchange(team, agreed, call, flow, mine, wanted);
    if (end != End::unreadable) return end == End::done;
    stop_kernel_reads();
  }
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
      own_.emplace(team_, Source{data_, 1}, agreed_, Flow::from_root, relayed_step);
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
    reading.read(to, source_.at(0, agreed_.bytes, step), part.bytes, source_);
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
  if (is_relayed(team, agreed.root)) {
    Relayed relayed(team, agreed, call, data);
    return relayed.run();
  }
  if (team.rank() == agreed.root)
    return exchange(team, agreed, call, Flow::from_root, {data, 1}, {});
  const Wanted all{agreed.root, 0, data};
  return exchange(team, agreed, call, Flow::from_root, {}, {&all, 1});
}

}  // namespace armature::team

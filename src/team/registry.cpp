#include "team/registry.hpp"

#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "net/network.hpp"
#include "team/breakdown.hpp"
#include "team/records.hpp"
#include "team/team_records.hpp"
#include "wait/notifier.hpp"

namespace armature::team {

using base::fail;
using net::network;
using space::FenceLine;
using space::MemberLine;
using space::TeamBlock;
using transport::Arrived;
using Lock = transport::Links::Lock;

namespace {

/// Under the links' lock.
struct Known {
  TeamBlock* block = nullptr;          // where what comes is written, if it comes to this process
  std::unique_ptr<const Nodes> nodes;  // when somebody has asked
  int users = 0;                       // who are in this process and have, and who leads
  // What came before this process knew of the team.
  struct Early {
    int process;
    transport::Record record;
    std::vector<std::byte> body;
  };
  std::vector<Early> early;
};

struct Teams {
  std::map<std::uint32_t, Known> all;
  std::size_t kept_early = 0;  // records that are kept, of all teams
  bool are_looked_for = false;
};
Teams& known_here() { return base::state<Teams>(); }
std::map<std::uint32_t, Known>& teams() { return known_here().all; }

constexpr std::uint32_t world = 0;

void let_go(std::uint32_t team) {
  const auto known = teams().find(team);
  if (known == teams().end() || --known->second.users > 0) return;
  known_here().kept_early -= known->second.early.size();
  teams().erase(known);
}

const Nodes& nodes_of(Known& known, TeamBlock& block) {
  if (known.nodes == nullptr)
    known.nodes = std::make_unique<const Nodes>(block, network()->mapping());
  return *known.nodes;
}

void forget_early(Known& known) {
  known_here().kept_early -= known.early.size();
  known.early.clear();
}

/// The team; nullptr when it is not known yet, and the record is kept until it is. Unless it is of
/// no use: where a job goes on after deaths (and ranks stay where they are) what comes of a team
/// that is not known here, but for who has entered its first round, comes from members that have
/// given it up, or have seen that those here had it and have no more. Of the former those here
/// hear by the death itself: nothing that came before is needed either (rounds.md).
const Known* known_team(std::uint32_t team, const Arrived& arrived, bool enters_first) {
  (void)Registry::look();
  Known& known = teams()[team];
  if (known.block != nullptr) return &known;
  if (!enters_first && team != world && network()->peers().goes_on()) {
    forget_early(known);
    if (known.users == 0) teams().erase(team);
    return nullptr;
  }
  ++known_here().kept_early;
  known.early.push_back(
      {arrived.process, arrived.record, {arrived.body.begin(), arrived.body.end()}});
  return nullptr;
}

void require_remote(const TeamBlock& block, std::uint32_t member, const Arrived& arrived) {
  if (member < block.size &&
      !network()->mapping().is_here(const_cast<TeamBlock&>(block).ranks()[member]))
    return;
  fail(Errc::corrupt, fmt::format("process {} speaks for member {} of team {}", arrived.process,
                                  member, block.id));
}

void notify_members_here(TeamBlock& block) {
  const space::Mapping& mapping = network()->mapping();
  for (std::uint32_t i = 0; i < block.size; ++i)
    if (const int rank = block.ranks()[i]; mapping.is_here(rank)) wait::notify(mapping.slot(rank));
}

/// A line that was sent twice must not go back to an earlier round, nor be written while it is
/// read; at most it becomes known that its member has given up.
bool is_known(const MemberLine& line, const RoundRecord& record) {
  return line.round.load(std::memory_order_relaxed) >= (record.round & ~MemberLine::gave_up);
}

/// Makes a line visible.
void enter(MemberLine& line, const RoundRecord& record) {
  if (line.round.load(std::memory_order_relaxed) >= record.round) return;
  if (!is_known(line, record)) line.signature = record.signature;
  // Release: who sees the round sees the bytes shown in it.
  line.round.store(record.round, std::memory_order_release);
}

void require_remote(const Nodes& nodes, NodeRange range, const Arrived& arrived) {
  const bool good = nodes.holds(range) && range.count > 0;
  if (good && (nodes.here() + nodes.size() - range.first) % nodes.size() >= range.count) return;
  fail(Errc::corrupt, fmt::format("process {} speaks for {} nodes from {} on", arrived.process,
                                  range.count, range.first));
}

void on_round(const Arrived& arrived) {
  const auto record = arrived.head<RoundRecord>();
  const Known* const team = known_team(record.team, arrived, record.round == 1);
  if (team == nullptr) return;
  TeamBlock* const block = team->block;
  if (record.member == all_of_nodes) {
    require_remote(*team->nodes, record.nodes, arrived);
    team->nodes->for_each_member(record.nodes, [&](std::uint32_t member) {
      enter(block->line(member, record.round), record);
    });
    return notify_members_here(*block);
  }
  require_remote(*block, record.member, arrived);
  const auto bytes = arrived.rest(sizeof record);
  if (record.shown > TeamBlock::staging_bytes || record.at > record.shown ||
      bytes.size() > record.shown - record.at)
    fail(Errc::corrupt, fmt::format("process {} shows {} bytes", arrived.process, record.shown));
  MemberLine& line = block->line(record.member, record.round);
  std::byte* const to = record.shown <= MemberLine::inline_bytes
                            ? line.payload
                            : block->staging(record.member, record.round);
  if (!bytes.empty() && !is_known(line, record))
    std::memcpy(to + record.at, bytes.data(), bytes.size());
  if (record.at + bytes.size() < record.shown) return;
  enter(line, record);
  notify_members_here(*block);
}

/// Stores a piece of a member's data. A piece that has already come by another way stays as it is:
/// it may be read.
void on_piece(const Arrived& arrived) {
  const auto record = arrived.head<PieceRecord>();
  const Known* const team = known_team(record.team, arrived, false);
  if (team == nullptr) return;
  TeamBlock* const block = team->block;
  require_remote(*block, record.member, arrived);
  const auto bytes = arrived.rest(sizeof record);
  if (record.lies_at >= block->size || record.at > TeamBlock::staging_bytes ||
      bytes.size() > TeamBlock::staging_bytes - record.at)
    fail(Errc::corrupt,
         fmt::format("process {} shows a piece of {} bytes", arrived.process, bytes.size()));
  const MemberLine& line = block->line(record.member, record.round);
  const std::uint64_t entered = line.round.load(std::memory_order_relaxed);
  if ((entered & ~MemberLine::gave_up) >= (record.round & ~MemberLine::gave_up)) return;
  std::memcpy(block->staging(record.lies_at, record.round) + record.at, bytes.data(), bytes.size());
}

void show_wave(FenceLine& line, const WaveRecord& record) {
  line.sent.store(record.sent, std::memory_order_relaxed);
  line.executed.store(record.executed, std::memory_order_relaxed);
  // Release: who sees the wave sees its tally.
  line.wave.store(record.wave, std::memory_order_release);
}

void on_wave(const Arrived& arrived) {
  auto record = arrived.head<WaveRecord>();
  const Known* const team = known_team(record.team, arrived, false);
  if (team == nullptr) return;
  if (record.member == all_of_nodes) {
    require_remote(*team->nodes, record.nodes, arrived);
    // Only sums are looked at: one line has it, the others nothing.
    team->nodes->for_each_member(record.nodes, [&](std::uint32_t member) {
      show_wave(team->block->fence_line(member, record.wave), record);
      record.sent = record.executed = 0;
    });
  } else {
    require_remote(*team->block, record.member, arrived);
    show_wave(team->block->fence_line(record.member, record.wave), record);
  }
  notify_members_here(*team->block);
}

void on_breakdown(const Arrived& arrived) {
  const auto record = arrived.head<BreakdownRecord>();
  const Known* const team = known_team(record.team, arrived, false);
  if (team == nullptr) return;
  require_remote(*team->block, record.member, arrived);
  if (note_breakdown(team->block->breakdown, record.word)) notify_members_here(*team->block);
}

/// From a member to the process by which it is reached, in the member's segment.
struct TeamNews {
  std::uint64_t before = 0;  // in that process's list
  std::uint64_t block = 0;   // 0: it is none any more
  std::uint32_t team = 0;
  std::int32_t member = 0;
};

std::atomic<std::uint64_t>& news_of(int process) {
  return network()->mapping().process_slot(process).team_news;
}

void learn(std::uint32_t team, TeamBlock* block) {
  if (block == nullptr) return let_go(team);
  Known& known = teams()[team];
  known.block = block;
  ++known.users;
  (void)nodes_of(known, *block);
  known_here().kept_early -= known.early.size();
  for (const Known::Early& early : std::exchange(known.early, {})) {
    const Arrived arrived{early.process, early.record, early.body, {}};
    const auto kind = static_cast<Kind>(early.record.kind.number);
    if (kind == Kind::round) on_round(arrived);
    if (kind == Kind::piece) on_piece(arrived);
    if (kind == Kind::wave) on_wave(arrived);
    if (kind == Kind::breakdown) on_breakdown(arrived);
  }
}

}  // namespace

const Nodes& Registry::join(std::uint32_t team, TeamBlock& block) {
  const Lock locked(network()->links().lock());
  Known& known = teams()[team];
  ++known.users;
  return nodes_of(known, block);
}

void Registry::leave(std::uint32_t team) {
  const Lock locked(network()->links().lock());
  let_go(team);
}

void Registry::tell(space::AddressSpace& member, std::uint32_t team, TeamBlock* block) {
  net::Network& net = *network();
  const int door = net.rank_map().door_of(member.me());
  if (door == net.links().process()) {
    const Lock locked(net.links().lock());
    return learn(team, block);
  }
  space::AddressSpace::Failure failure;
  void* const memory = member.allocate(sizeof(TeamNews), alignof(TeamNews),
                                       space::Allocation::Kind::internal, failure);
  if (memory == nullptr && block == nullptr) return;  // the door keeps a team that is none
  if (memory == nullptr)
    fail(Errc::out_of_memory, fmt::format("no memory for a team: {}", failure.limit));
  auto* const news = new (memory)
      TeamNews{0, reinterpret_cast<std::uint64_t>(block), team, static_cast<int>(member.me())};
  std::atomic<std::uint64_t>& list = news_of(door);
  news->before = list.load(std::memory_order_relaxed);
  // Release: what is told is there.
  while (!list.compare_exchange_weak(news->before, reinterpret_cast<std::uint64_t>(news),
                                     std::memory_order_release, std::memory_order_relaxed)) {
  }
}

bool Registry::look() {
  // The flag prevents a second look from inside learn(), so that news is taken in the order in
  // which it was told.
  Teams& known = known_here();
  if (std::exchange(known.are_looked_for, true)) return false;
  std::atomic<std::uint64_t>& list = news_of(network()->links().process());
  if (list.load(std::memory_order_relaxed) != 0) [[unlikely]] {
    // Acquire: what was told is read. The last comes first.
    std::uint64_t last = list.exchange(0, std::memory_order_acquire), first = 0;
    while (last != 0) {
      auto& news = *reinterpret_cast<TeamNews*>(last);
      last = std::exchange(news.before, std::exchange(first, last));
    }
    while (first != 0) {
      auto* const address = reinterpret_cast<TeamNews*>(first);
      const TeamNews news = *address;
      first = news.before;
      ARMATURE_ASSERT(
          network()
              ->space_of(news.member)
              ->free(address, space::Allocation::Kind::internal, space::AddressSpace::By::door));
      learn(news.team, reinterpret_cast<TeamBlock*>(news.block));
    }
  }
  known.are_looked_for = false;
  return known.kept_early > 0 && network()->mapping().header().ranks_are_virtual != 0 &&
         !network()->peers().goes_on();
}

std::size_t Registry::kept() { return known_here().kept_early; }

const std::array<transport::Handling, 4> Registry::handlers{{
    {.kind = transport::number_of(Kind::round), .handler = on_round, .is_of_rank = true},
    {.kind = transport::number_of(Kind::piece), .handler = on_piece, .is_of_rank = true},
    {.kind = transport::number_of(Kind::wave), .handler = on_wave, .is_of_rank = true},
    {.kind = transport::number_of(Kind::breakdown), .handler = on_breakdown, .is_of_rank = true},
}};

void Registry::forget_all() {
  teams().clear();
  known_here().kept_early = 0;
  news_of(network()->links().process()).store(0, std::memory_order_relaxed);
}

}  // namespace armature::team

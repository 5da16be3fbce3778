#include "team/replicas.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "progress/bell.hpp"

namespace armature::team {

using base::fail;
using progress::network;
using space::FenceLine;
using space::MemberLine;
using space::TeamBlock;
using transport::Arrived;
using transport::Kind;
using transport::Link;
using Lock = transport::Links::Lock;

namespace {

/// In the place of a member: all of some nodes.
constexpr std::uint32_t all_of_nodes = UINT32_MAX;

/// A part of what a member shows; the last one makes it visible. Of members of nodes that show
/// nothing there is one record.
struct RoundRecord {
  std::uint32_t team;
  std::uint32_t member;
  std::uint64_t round;
  std::uint64_t signature;
  std::uint32_t at;
  std::uint32_t shown;  // bytes in all
  NodeRange nodes;
};

/// Of one member, or what members of some nodes have counted together.
struct WaveRecord {
  std::uint32_t team;
  std::uint32_t member;
  std::uint64_t wave;
  std::uint64_t sent;
  std::uint64_t executed;
  NodeRange nodes;
};

/// Under the links' lock.
struct Known {
  TeamBlock* block = nullptr;
  std::shared_ptr<const Nodes> nodes;
  int users = 0;
  // What came before this process knew of the team.
  struct Early {
    int process;
    transport::Record record;
    std::vector<std::byte> body;
  };
  std::vector<Early> early;
};

std::map<std::uint32_t, Known>& teams() {
  static std::map<std::uint32_t, Known> all;
  return all;
}

/// The team; nullptr when it is not known yet, and the record is kept until it is.
const Known* known_team(std::uint32_t team, const Arrived& arrived) {
  Known& known = teams()[team];
  if (known.block != nullptr) return &known;
  known.early.push_back(
      {arrived.process, arrived.record, {arrived.body.begin(), arrived.body.end()}});
  return nullptr;
}

void require_far(const TeamBlock& block, std::uint32_t member, const Arrived& arrived) {
  if (member < block.size &&
      !network()->mapping().is_here(const_cast<TeamBlock&>(block).ranks()[member]))
    return;
  fail(Errc::corrupt, fmt::format("process {} speaks for member {} of team {}", arrived.process,
                                  member, block.id));
}

void ring_members_here(TeamBlock& block) {
  const space::Mapping& mapping = network()->mapping();
  for (std::uint32_t i = 0; i < block.size; ++i)
    if (const int rank = block.ranks()[i]; mapping.is_here(rank))
      progress::ring(mapping.slot(rank));
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

void require_far(const Nodes& nodes, NodeRange range, const Arrived& arrived) {
  const bool good = nodes.holds(range) && range.count > 0;
  if (good && (nodes.here() + nodes.size() - range.first) % nodes.size() >= range.count) return;
  fail(Errc::corrupt, fmt::format("process {} speaks for {} nodes from {} on", arrived.process,
                                  range.count, range.first));
}

void on_round(const Arrived& arrived) {
  const auto record = arrived.head<RoundRecord>();
  const Known* const team = known_team(record.team, arrived);
  if (team == nullptr) return;
  TeamBlock* const block = team->block;
  if (record.member == all_of_nodes) {
    require_far(*team->nodes, record.nodes, arrived);
    team->nodes->for_each_member(record.nodes, [&](std::uint32_t member) {
      enter(block->line(member, record.round), record);
    });
    return ring_members_here(*block);
  }
  require_far(*block, record.member, arrived);
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
  ring_members_here(*block);
}

void show_wave(FenceLine& line, const WaveRecord& record) {
  line.sent.store(record.sent, std::memory_order_relaxed);
  line.executed.store(record.executed, std::memory_order_relaxed);
  // Release: who sees the wave sees its tally.
  line.wave.store(record.wave, std::memory_order_release);
}

void on_wave(const Arrived& arrived) {
  auto record = arrived.head<WaveRecord>();
  const Known* const team = known_team(record.team, arrived);
  if (team == nullptr) return;
  if (record.member == all_of_nodes) {
    require_far(*team->nodes, record.nodes, arrived);
    // Only sums are looked at: one line has it, the others nothing.
    team->nodes->for_each_member(record.nodes, [&](std::uint32_t member) {
      show_wave(team->block->fence_line(member, record.wave), record);
      record.sent = record.executed = 0;
    });
  } else {
    require_far(*team->block, record.member, arrived);
    show_wave(team->block->fence_line(record.member, record.wave), record);
  }
  ring_members_here(*team->block);
}

}  // namespace

void Replica::install(transport::Links& links) {
  links.handle(Kind::round, on_round);
  links.handle(Kind::wave, on_wave);
}

void Replica::forget_all() { teams().clear(); }

std::uint32_t Replica::leader_of(TeamBlock& block) {
  std::uint32_t member = 0;
  if (network() == nullptr) return member;
  while (member + 1 < block.size && !network()->mapping().is_here(block.ranks()[member])) ++member;
  return member;
}

Replica::Replica(TeamBlock& block) : block_(block) {
  if (network() == nullptr) return;
  make_known();
  if (nodes_->here() == nodes_->size()) return;
  leader_ = static_cast<int>(nodes_->members(nodes_->here()).front());
  // The rank's own: not under the lock.
  rounds_told_.resize(nodes_->edges().size());
  waves_told_.resize(nodes_->edges().size());
}

void Replica::make_known() {
  progress::Network* const net = network();
  const Lock locked(net->links().lock());
  Known& known = teams()[block_.id];
  ++known.users;
  if (known.block == nullptr) {
    known.block = &block_;
    known.nodes = std::make_shared<const Nodes>(block_, net->mapping());
    for (const Known::Early& early : std::exchange(known.early, {})) {
      const Arrived arrived{early.process, early.record, early.body, {}};
      early.record.kind == Kind::round ? on_round(arrived) : on_wave(arrived);
    }
  }
  nodes_ = known.nodes;
}

Replica::~Replica() {
  progress::Network* const net = network();
  if (net == nullptr) return;
  const Lock locked(net->links().lock());
  const auto known = teams().find(block_.id);
  if (known != teams().end() && --known->second.users == 0) teams().erase(known);
}

namespace {

/// What a member shows, in as many records as it takes.
void append_line(Link& link, TeamBlock& block, std::uint32_t member, std::uint64_t round) {
  constexpr std::size_t part_max = Link::body_bytes_max - sizeof(RoundRecord);
  const MemberLine& line = block.line(member, round);
  const std::size_t bytes = MemberLine::shown(line.signature);
  const std::byte* const shown =
      bytes <= MemberLine::inline_bytes ? line.payload : block.staging(member, round);
  RoundRecord record{block.id, member, round, line.signature, 0, static_cast<std::uint32_t>(bytes),
                     {}};
  std::size_t at = 0;
  do {
    const std::size_t part = std::min(part_max, bytes - at);
    record.at = static_cast<std::uint32_t>(at);
    std::byte* const body =
        link.append(Kind::round, block.ranks()[member], -1, sizeof record + part, Link::Ack::none);
    std::memcpy(body, &record, sizeof record);
    if (part > 0) std::memcpy(body + sizeof record, shown + at, part);
    at += part;
  } while (at < bytes);
}

}  // namespace

namespace {

/// Whether that holds for all members of some nodes.
template <class Holds>
bool all_of(const Nodes& nodes, NodeRange range, Holds&& holds) {
  for (std::uint32_t i = 0; i < range.count; ++i) {
    const auto& members = nodes.members((range.first + i) % nodes.size());
    if (!std::all_of(members.begin(), members.end(), holds)) return false;
  }
  return true;
}

}  // namespace

void Replica::send_round(const NodeEdge& edge, std::uint64_t round) const {
  const std::uint64_t signature =
      block_.line(nodes_->members(edge.tells.first).front(), round).signature;
  const bool nothing_shown =
      MemberLine::shown(signature) == 0 && all_of(*nodes_, edge.tells, [&](std::uint32_t member) {
        return block_.line(member, round).signature == signature;
      });
  const RoundRecord all{block_.id, all_of_nodes, round, signature, 0, 0, edge.tells};
  const Lock locked(network()->links().lock());
  Link& link = network()->links().to(nodes_->process(edge.node));
  if (nothing_shown)
    link.post(Kind::round, block_.ranks()[leader_], -1, all, Link::Ack::none);
  else
    nodes_->for_each_member(
        edge.tells, [&](std::uint32_t member) { append_line(link, block_, member, round); });
  link.flush();
}

void Replica::tell_round(std::uint64_t round) {
  for (std::size_t i = 0; i < rounds_told_.size(); ++i) {
    const NodeEdge& edge = nodes_->edges()[i];
    const auto has_entered = [&](std::uint32_t member) {
      return block_.line(member, round).round.load(std::memory_order_acquire) >= round;
    };
    if (rounds_told_[i] >= round || !all_of(*nodes_, edge.tells, has_entered)) continue;
    send_round(edge, round);
    rounds_told_[i] = round;
  }
}

void Replica::send_line(int member, std::uint64_t round) const {
  const Lock locked(network()->links().lock());
  for (std::uint32_t node = 0; node < nodes_->size(); ++node) {
    if (node == nodes_->here()) continue;
    Link& link = network()->links().to(nodes_->process(node));
    append_line(link, block_, static_cast<std::uint32_t>(member), round);
    link.flush();
  }
}

bool Replica::may_tell_wave(std::size_t edge, std::uint64_t wave) const {
  return waves_told_[edge] < wave &&
         all_of(*nodes_, nodes_->edges()[edge].tells, [&](std::uint32_t member) {
           return block_.fence_line(member, wave).wave.load(std::memory_order_acquire) >= wave;
         });
}

bool Replica::may_tell_wave(std::uint64_t wave) const {
  for (std::size_t i = 0; i < waves_told_.size(); ++i)
    if (may_tell_wave(i, wave)) return true;
  return false;
}

void Replica::tell_wave(std::uint64_t wave) {
  for (std::size_t i = 0; i < waves_told_.size(); ++i) {
    if (!may_tell_wave(i, wave)) continue;
    const NodeEdge& edge = nodes_->edges()[i];
    WaveRecord record{block_.id, all_of_nodes, wave, 0, 0, edge.tells};
    nodes_->for_each_member(edge.tells, [&](std::uint32_t member) {
      const FenceLine& line = block_.fence_line(member, wave);
      record.sent += line.sent.load(std::memory_order_relaxed);
      record.executed += line.executed.load(std::memory_order_relaxed);
    });
    const Lock locked(network()->links().lock());
    Link& link = network()->links().to(nodes_->process(edge.node));
    link.post(Kind::wave, block_.ranks()[leader_], -1, record, Link::Ack::none);
    link.flush();
    waves_told_[i] = wave;
  }
}

void Replica::send_wave(int member, std::uint64_t wave) const {
  const auto index = static_cast<std::uint32_t>(member);
  const FenceLine& line = block_.fence_line(index, wave);
  const WaveRecord record{block_.id,
                          index,
                          wave,
                          line.sent.load(std::memory_order_relaxed),
                          line.executed.load(std::memory_order_relaxed),
                          {}};
  const Lock locked(network()->links().lock());
  for (std::uint32_t node = 0; node < nodes_->size(); ++node) {
    if (node == nodes_->here()) continue;
    Link& link = network()->links().to(nodes_->process(node));
    link.post(Kind::wave, block_.ranks()[member], -1, record, Link::Ack::none);
    link.flush();
  }
}

bool Replica::waves_are_gathered() const { return !network()->goes_on(); }

}  // namespace armature::team

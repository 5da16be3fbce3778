#include "team/replicas.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
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
using Lock = std::lock_guard<std::recursive_mutex>;

namespace {

/// A part of what a member shows; the last one makes it visible. Of members of a node that show
/// nothing there is one record.
struct RoundRecord {
  static constexpr std::uint32_t all_of_node = UINT32_MAX;  // as member
  std::uint32_t team;
  std::uint32_t member;
  std::uint64_t round;
  std::uint64_t signature;
  std::uint32_t at;
  std::uint32_t shown;  // bytes in all
};

struct WaveRecord {
  std::uint32_t team;
  std::uint32_t member;
  std::uint64_t wave;
  std::uint64_t sent;
  std::uint64_t executed;
};

/// Under the links' lock.
struct Known {
  TeamBlock* block = nullptr;
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

/// The block; nullptr when the team is not known yet, and the record is kept until it is.
TeamBlock* block_of(std::uint32_t team, const Arrived& arrived) {
  Known& known = teams()[team];
  if (known.block == nullptr)
    known.early.push_back(
        {arrived.process, arrived.record, {arrived.body.begin(), arrived.body.end()}});
  return known.block;
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

/// Makes a line visible. A line that was sent twice must not go back to an earlier round.
void enter(MemberLine& line, const RoundRecord& record) {
  if (line.round.load(std::memory_order_relaxed) >= record.round) return;
  line.signature = record.signature;
  // Release: who sees the round sees the bytes shown in it.
  line.round.store(record.round, std::memory_order_release);
}

void enter_node(TeamBlock& block, const Arrived& arrived, const RoundRecord& record) {
  const space::Mapping& mapping = network()->mapping();
  if (arrived.record.from < 0 || arrived.record.from >= mapping.ranks() ||
      mapping.is_here(arrived.record.from))
    fail(Errc::corrupt, fmt::format("process {} speaks for this node", arrived.process));
  const auto node = mapping.slot(arrived.record.from).node;
  for (std::uint32_t i = 0; i < block.size; ++i)
    if (mapping.slot(block.ranks()[i]).node == node) enter(block.line(i, record.round), record);
}

void on_round(const Arrived& arrived) {
  const auto record = arrived.head<RoundRecord>();
  TeamBlock* const block = block_of(record.team, arrived);
  if (block == nullptr) return;
  if (record.member == RoundRecord::all_of_node) {
    enter_node(*block, arrived, record);
    return ring_members_here(*block);
  }
  require_far(*block, record.member, arrived);
  const auto bytes = arrived.rest(sizeof record);
  if (record.shown > TeamBlock::staging_bytes || record.at > record.shown ||
      bytes.size() > record.shown - record.at)
    fail(Errc::corrupt, fmt::format("process {} shows {} bytes", arrived.process, record.shown));
  MemberLine& line = block->line(record.member, record.round);
  if (line.round.load(std::memory_order_relaxed) >= record.round) return;
  std::byte* const to = record.shown <= MemberLine::inline_bytes
                            ? line.payload
                            : block->staging(record.member, record.round);
  if (!bytes.empty()) std::memcpy(to + record.at, bytes.data(), bytes.size());
  if (record.at + bytes.size() < record.shown) return;
  enter(line, record);
  ring_members_here(*block);
}

void on_wave(const Arrived& arrived) {
  const auto record = arrived.head<WaveRecord>();
  TeamBlock* const block = block_of(record.team, arrived);
  if (block == nullptr) return;
  require_far(*block, record.member, arrived);
  FenceLine& line = block->fence_line(record.member, record.wave);
  line.sent.store(record.sent, std::memory_order_relaxed);
  line.executed.store(record.executed, std::memory_order_relaxed);
  // Release: who sees the wave sees its tally.
  line.wave.store(record.wave, std::memory_order_release);
  ring_members_here(*block);
}

}  // namespace

void Replica::install(transport::Links& links) {
  links.handle(Kind::round, on_round);
  links.handle(Kind::wave, on_wave);
}

std::uint32_t Replica::leader_of(TeamBlock& block) {
  std::uint32_t member = 0;
  if (network() == nullptr) return member;
  while (member + 1 < block.size && !network()->mapping().is_here(block.ranks()[member])) ++member;
  return member;
}

Replica::Replica(TeamBlock& block) : block_(block) {
  progress::Network* const net = network();
  if (net == nullptr) return;
  const space::Mapping& mapping = net->mapping();
  std::set<int> nodes = {mapping.header().node};
  for (std::uint32_t i = 0; i < block.size; ++i) {
    const space::RankSlot& slot = mapping.slot(block.ranks()[i]);
    if (slot.node == mapping.header().node) here_.push_back(i);
    if (nodes.insert(slot.node).second) others_.push_back(slot.process);
  }
  leader_ = here_.empty() ? -1 : static_cast<int>(here_.front());
  const Lock locked(net->links().lock());
  Known& known = teams()[block.id];
  ++known.users;
  if (known.block != nullptr) return;
  known.block = &block;
  for (const Known::Early& early : std::exchange(known.early, {})) {
    const Arrived arrived{early.process, early.record, early.body, {}};
    early.record.kind == Kind::round ? on_round(arrived) : on_wave(arrived);
  }
}

Replica::~Replica() {
  progress::Network* const net = network();
  if (net == nullptr) return;
  const Lock locked(net->links().lock());
  const auto known = teams().find(block_.id);
  if (known != teams().end() && --known->second.users == 0) teams().erase(known);
}

bool Replica::have_entered(std::uint64_t round) const {
  return std::all_of(here_.begin(), here_.end(), [&](std::uint32_t member) {
    return block_.line(member, round).round.load(std::memory_order_acquire) >= round;
  });
}

namespace {

/// What a member shows, in as many records as it takes.
void append_line(Link& link, TeamBlock& block, std::uint32_t member, std::uint64_t round) {
  constexpr std::size_t part_max = Link::body_bytes_max - sizeof(RoundRecord);
  const MemberLine& line = block.line(member, round);
  const std::size_t bytes = MemberLine::shown(line.signature);
  const std::byte* const shown =
      bytes <= MemberLine::inline_bytes ? line.payload : block.staging(member, round);
  RoundRecord record{block.id, member, round, line.signature, 0, static_cast<std::uint32_t>(bytes)};
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

void Replica::send_round(std::uint64_t round) const {
  const std::uint64_t signature = block_.line(here_.front(), round).signature;
  const bool nothing_shown = MemberLine::shown(signature) == 0 &&
                             std::all_of(here_.begin(), here_.end(), [&](std::uint32_t member) {
                               return block_.line(member, round).signature == signature;
                             });
  const RoundRecord all{block_.id, RoundRecord::all_of_node, round, signature, 0, 0};
  const Lock locked(network()->links().lock());
  for (const int process : others_) {
    Link& link = network()->links().to(process);
    if (nothing_shown)
      link.post(Kind::round, block_.ranks()[leader_], -1, all, Link::Ack::none);
    else
      for (const std::uint32_t member : here_) append_line(link, block_, member, round);
    link.flush();
  }
}

void Replica::send_line(int member, std::uint64_t round) const {
  const Lock locked(network()->links().lock());
  for (const int process : others_) {
    Link& link = network()->links().to(process);
    append_line(link, block_, static_cast<std::uint32_t>(member), round);
    link.flush();
  }
}

void Replica::send_wave(int member, std::uint64_t wave) const {
  const auto index = static_cast<std::uint32_t>(member);
  const FenceLine& line = block_.fence_line(index, wave);
  const WaveRecord record{block_.id, index, wave, line.sent.load(std::memory_order_relaxed),
                          line.executed.load(std::memory_order_relaxed)};
  const Lock locked(network()->links().lock());
  for (const int process : others_) {
    Link& link = network()->links().to(process);
    link.post(Kind::wave, block_.ranks()[member], -1, record, Link::Ack::none);
    link.flush();
  }
}

}  // namespace armature::team

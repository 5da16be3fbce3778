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

/// A part of what a member shows; the last one makes it visible.
struct RoundRecord {
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
TeamBlock* block_of(std::uint32_t team, std::uint32_t member, const Arrived& arrived) {
  Known& known = teams()[team];
  if (known.block == nullptr) {
    known.early.push_back(
        {arrived.process, arrived.record, {arrived.body.begin(), arrived.body.end()}});
    return nullptr;
  }
  if (member >= known.block->size || network()->mapping().is_here(known.block->ranks()[member]))
    fail(Errc::corrupt,
         fmt::format("process {} speaks for member {} of team {}", arrived.process, member, team));
  return known.block;
}

void ring_members_here(TeamBlock& block) {
  const space::Mapping& mapping = network()->mapping();
  for (std::uint32_t i = 0; i < block.size; ++i)
    if (const int rank = block.ranks()[i]; mapping.is_here(rank))
      progress::ring(mapping.slot(rank));
}

void on_round(const Arrived& arrived) {
  const auto record = arrived.head<RoundRecord>();
  TeamBlock* const block = block_of(record.team, record.member, arrived);
  if (block == nullptr) return;
  const auto bytes = arrived.rest(sizeof record);
  if (record.shown > TeamBlock::staging_bytes || record.at > record.shown ||
      bytes.size() > record.shown - record.at)
    fail(Errc::corrupt, fmt::format("process {} shows {} bytes", arrived.process, record.shown));
  MemberLine& line = block->line(record.member, record.round);
  std::byte* const to = record.shown <= MemberLine::inline_bytes
                            ? line.payload
                            : block->staging(record.member, record.round);
  if (!bytes.empty()) std::memcpy(to + record.at, bytes.data(), bytes.size());
  if (record.at + bytes.size() < record.shown) return;
  line.signature = record.signature;
  // Release: who sees the round sees the bytes shown in it.
  line.round.store(record.round, std::memory_order_release);
  ring_members_here(*block);
}

void on_wave(const Arrived& arrived) {
  const auto record = arrived.head<WaveRecord>();
  TeamBlock* const block = block_of(record.team, record.member, arrived);
  if (block == nullptr) return;
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
  leader_ = -1;
  for (std::uint32_t i = 0; i < block.size; ++i) {
    const space::RankSlot& slot = mapping.slot(block.ranks()[i]);
    if (leader_ < 0 && slot.node == mapping.header().node) leader_ = static_cast<int>(i);
    if (nodes.insert(slot.node).second) others_.push_back(slot.process);
  }
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

void Replica::send_round(int member, std::uint64_t round, const std::byte* shown,
                         std::size_t bytes) const {
  constexpr std::size_t part_max = Link::body_bytes_max - sizeof(RoundRecord);
  const auto index = static_cast<std::uint32_t>(member);
  RoundRecord record{block_.id, index,
                     round,     block_.line(index, round).signature,
                     0,         static_cast<std::uint32_t>(bytes)};
  const int rank = block_.ranks()[member];
  const Lock locked(network()->links().lock());
  for (const int process : others_) {
    Link& link = network()->links().to(process);
    std::size_t at = 0;
    do {
      const std::size_t part = std::min(part_max, bytes - at);
      record.at = static_cast<std::uint32_t>(at);
      std::byte* const body =
          link.append(Kind::round, rank, -1, sizeof record + part, Link::Ack::none);
      std::memcpy(body, &record, sizeof record);
      if (part > 0) std::memcpy(body + sizeof record, shown + at, part);
      at += part;
    } while (at < bytes);
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

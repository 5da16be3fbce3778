#include "team/proxy.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "base/process_memory.hpp"
#include "net/network.hpp"
#include "team/records.hpp"
#include "team/registry.hpp"
#include "team/team_records.hpp"

namespace armature::team {

using net::network;
using space::FenceLine;
using space::MemberLine;
using space::TeamBlock;
using transport::Link;
using Lock = transport::Links::Lock;

std::uint32_t Proxy::leader_of(TeamBlock& block) {
  std::uint32_t member = 0;
  if (network() == nullptr) return member;
  while (member + 1 < block.size && !network()->mapping().is_here(block.ranks()[member])) ++member;
  return member;
}

Proxy::Proxy(space::AddressSpace& space, TeamBlock& block)
    : space_(space), block_(block), team_(block.id) {
  if (network() == nullptr) return;
  const Nodes& all = nodes();
  is_far_ = all.size() > 1;
  if (all.here() == all.size()) return;
  leader_ = static_cast<int>(all.members(all.here()).front());
  // The rank's own: not under the lock.
  rounds_told_.resize(all.edges().size());
  waves_told_.resize(all.edges().size());
  leads_ = is_far_ && block.ranks()[leader_] == space.me();
  if (leads_) Registry::tell(space_, team_, &block_);
}

Proxy::~Proxy() {
  if (network() == nullptr) return;
  leave_process();
  if (leads_) Registry::tell(space_, team_, nullptr);
}

const Nodes& Proxy::nodes() const {
  const int here = network()->links().process();
  if (process_ != here) [[unlikely]] {
    nodes_ = &Registry::join(team_, block_);
    process_ = here;
  }
  return *nodes_;
}

void Proxy::leave_process() {
  if (network() != nullptr && std::exchange(process_, -1) == network()->links().process())
    Registry::leave(team_);
}

namespace {

constexpr std::size_t part_max =
    Link::body_bytes_max - std::max(sizeof(RoundRecord), sizeof(PieceRecord));

/// The records that carry what a member shows to a node, as far as it is read there. There are as
/// many as it takes.
class LineRecords {
 public:
  LineRecords(Link& link, TeamBlock& block, std::uint32_t member, std::uint64_t round)
      : link_(link), block_(block), line_(block.line(member, round)) {
    const std::size_t bytes = MemberLine::shown(line_.signature);
    shown_ = bytes <= MemberLine::inline_bytes ? line_.payload : block.staging(member, round);
    record_ = {block.id, member, round, line_.signature, 0, static_cast<std::uint32_t>(bytes), {}};
  }

  void add(std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end;) {
      const std::size_t part = std::min(part_max, end - at);
      append(at, part);
      at += part;
    }
  }
  [[nodiscard]] bool shows() const { return record_.shown > 0; }
  void add_all() { add(0, record_.shown); }
  /// Behind the last part the line becomes visible, at the latest now.
  void end() {
    if (!is_complete_) append(record_.shown, 0);
  }
  /// Nothing of what is shown is read there.
  void leave_out() { record_.shown = 0; }

 private:
  void append(std::size_t at, std::size_t bytes) {
    record_.at = static_cast<std::uint32_t>(at);
    std::byte* const body = link_.append(Kind::round, block_.ranks()[record_.member], -1,
                                         sizeof record_ + bytes, Link::Ack::none);
    std::memcpy(body, &record_, sizeof record_);
    if (bytes > 0) std::memcpy(body + sizeof record_, shown_ + at, bytes);
    is_complete_ = at + bytes == record_.shown;
  }

  Link& link_;
  TeamBlock& block_;
  const MemberLine& line_;
  const std::byte* shown_;
  RoundRecord record_;
  bool is_complete_ = false;
};

}  // namespace

void Proxy::append_pieces(Link& link, NodeRange to, std::uint64_t round, const Shown& shown) const {
  for (std::uint32_t piece = 0; piece < shown.pieces; ++piece) {
    if (shown.by == Shown::By::one_piece && !nodes().holds(to, piece)) continue;
    const std::size_t bytes = shown.piece_bytes(piece);
    for (std::size_t at = 0; at < bytes;) {
      const std::size_t part = std::min(part_max, bytes - at);
      const PieceRecord record{block_.id, shown.root, piece, static_cast<std::uint32_t>(at), round};
      std::byte* const body = link.append(Kind::piece, block_.ranks()[shown.root], -1,
                                          sizeof record + part, Link::Ack::none);
      std::memcpy(body, &record, sizeof record);
      std::memcpy(body + sizeof record, block_.staging(piece, round) + at, part);
      at += part;
    }
  }
}

/// Appends what a member shows, as far as it is read by those whom the edge reaches.
void Proxy::append_line(Link& link, const NodeEdge& edge, std::uint32_t member, std::uint64_t round,
                        const Shown& shown) const {
  LineRecords records(link, block_, member, round);
  switch (shown.by) {
    case Shown::By::everybody:
      records.add_all();
      break;
    case Shown::By::root:
      nodes().holds(edge.reaches, shown.root) ? records.add_all() : records.leave_out();
      break;
    case Shown::By::blocks:
      if (!records.shows()) break;
      // Growing: the last byte makes the line visible.
      for (const Nodes::Run run : nodes().runs(edge.reaches))
        records.add(run.begin * shown.bytes, run.end * shown.bytes);
      break;
    case Shown::By::one_piece:
    case Shown::By::all_pieces:
      break;  // went ahead
  }
  records.end();
}

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

void Proxy::send_round(const NodeEdge& edge, std::uint64_t round, const Shown& shown) const {
  const std::uint64_t signature =
      block_.line(nodes().members(edge.tells.first).front(), round).signature;
  const bool nothing_shown =
      MemberLine::shown(signature) == 0 && all_of(nodes(), edge.tells, [&](std::uint32_t member) {
        return block_.line(member, round).signature == signature;
      });
  const RoundRecord all{block_.id, all_of_nodes, round, signature, 0, 0, edge.tells};
  const Lock locked(network()->links().lock());
  Link& link = network()->links().to(nodes().process(edge.node));
  if (shown.is_in_pieces() && nodes().holds(edge.tells, shown.root))
    append_pieces(link, edge.reaches, round, shown);
  if (nothing_shown)
    link.post(Kind::round, block_.ranks()[leader_], -1, all, Link::Ack::none);
  else
    nodes().for_each_member(
        edge.tells, [&](std::uint32_t member) { append_line(link, edge, member, round, shown); });
  link.flush();
}

void Proxy::tell_round(std::uint64_t round, const Shown& shown) {
  for (std::size_t i = 0; i < rounds_told_.size(); ++i) {
    const NodeEdge& edge = nodes().edges()[i];
    const auto has_entered = [&](std::uint32_t member) {
      return block_.line(member, round).round.load(std::memory_order_acquire) >= round;
    };
    if (rounds_told_[i] >= round || !all_of(nodes(), edge.tells, has_entered)) continue;
    send_round(edge, round, shown);
    rounds_told_[i] = round;
  }
}

void Proxy::send_line(int member, std::uint64_t round, const Shown& shown) const {
  const Lock locked(network()->links().lock());
  for (std::uint32_t node = 0; node < nodes().size(); ++node) {
    if (node == nodes().here()) continue;
    Link& link = network()->links().to(nodes().process(node));
    const auto index = static_cast<std::uint32_t>(member);
    if (shown.is_in_pieces() && index == shown.root) append_pieces(link, {node, 1}, round, shown);
    LineRecords records(link, block_, index, round);
    records.add_all();
    records.end();
    link.flush();
  }
}

void Proxy::send_breakdown(int member, std::uint64_t word) const {
  const base::ProcessMemory kept;  // the rank has none left
  const BreakdownRecord record{block_.id, static_cast<std::uint32_t>(member), word};
  const Lock locked(network()->links().lock());
  for (std::uint32_t node = 0; node < nodes().size(); ++node) {
    if (node == nodes().here()) continue;
    Link& link = network()->links().to(nodes().process(node));
    // Acknowledged, so that a barrier waits for it: all know it before they change nodes.
    link.post(Kind::breakdown, block_.ranks()[record.member], -1, record, Link::Ack::later);
    link.flush();
  }
}

bool Proxy::may_tell_wave(std::size_t edge, std::uint64_t wave) const {
  return waves_told_[edge] < wave &&
         all_of(nodes(), nodes().edges()[edge].tells, [&](std::uint32_t member) {
           return block_.fence_line(member, wave).wave.load(std::memory_order_acquire) >= wave;
         });
}

bool Proxy::may_tell_wave(std::uint64_t wave) const {
  for (std::size_t i = 0; i < waves_told_.size(); ++i)
    if (may_tell_wave(i, wave)) return true;
  return false;
}

void Proxy::tell_wave(std::uint64_t wave) {
  for (std::size_t i = 0; i < waves_told_.size(); ++i) {
    if (!may_tell_wave(i, wave)) continue;
    const NodeEdge& edge = nodes().edges()[i];
    WaveRecord record{block_.id, all_of_nodes, wave, 0, 0, edge.tells};
    nodes().for_each_member(edge.tells, [&](std::uint32_t member) {
      const FenceLine& line = block_.fence_line(member, wave);
      record.sent += line.sent.load(std::memory_order_relaxed);
      record.executed += line.executed.load(std::memory_order_relaxed);
    });
    const Lock locked(network()->links().lock());
    Link& link = network()->links().to(nodes().process(edge.node));
    link.post(Kind::wave, block_.ranks()[leader_], -1, record, Link::Ack::none);
    link.flush();
    waves_told_[i] = wave;
  }
}

void Proxy::send_wave(int member, std::uint64_t wave) const {
  const auto index = static_cast<std::uint32_t>(member);
  const FenceLine& line = block_.fence_line(index, wave);
  const WaveRecord record{block_.id,
                          index,
                          wave,
                          line.sent.load(std::memory_order_relaxed),
                          line.executed.load(std::memory_order_relaxed),
                          {}};
  const Lock locked(network()->links().lock());
  for (std::uint32_t node = 0; node < nodes().size(); ++node) {
    if (node == nodes().here()) continue;
    Link& link = network()->links().to(nodes().process(node));
    link.post(Kind::wave, block_.ranks()[member], -1, record, Link::Ack::none);
    link.flush();
  }
}

bool Proxy::waves_are_gathered() const { return !network()->peers().goes_on(); }

}  // namespace armature::team

// Links: records into packets, packets back into records, acknowledgements.
//
// Acknowledgements say "handled", not "arrived": when a packet is acknowledged, its puts have been
// written. They travel with whatever goes the other way; by themselves only when nothing does.
#include "transport/links.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/process_memory.hpp"
#include "base/valgrind.hpp"
#include "transport/child_sockets.hpp"

namespace armature::transport {

using base::fail;

Link::Link(Links& links, int process)
    : links_(links), process_(process), streams_(*this, links.streams_, queued_) {}

std::byte* Link::append(RecordOf named, int from, int to, std::size_t body_bytes, Ack ack) {
  ARMATURE_ASSERT(body_bytes <= body_bytes_max);
  const std::size_t padded = (body_bytes + 7) / 8 * 8;
  if (open_ != nullptr && open_->used + sizeof(Record) + padded > packet_bytes) flush();
  if (open_ == nullptr) {
    if (!is_connected_) [[unlikely]]
      links_.use(*this);
    open_ = links_.packets_.take(queued_);
    open_->used = sizeof(PacketHeader);
    if (!std::exchange(gathers_, true)) links_.gathering_.push_back(this);
  }
  const RecordKind kind = links_.services_.kind_of(named);
  const Record record{kind, static_cast<std::uint16_t>(padded - body_bytes),
                      static_cast<std::uint32_t>(sizeof(Record) + body_bytes), from, to};
  std::byte* const at = open_->bytes + open_->used;
  std::memcpy(at, &record, sizeof record);
  open_->used += sizeof record + padded;
  open_flags_ |= static_cast<std::uint32_t>(ack);
  if (from >= 0 && links_.services_.handling(kind).is_of_rank) note_sender(from);
  return at + sizeof record;
}

void Link::lend(RecordOf kind, int from, int to, std::span<const std::byte> head,
                Engine::Parts lent, Sending& sending, Ack ack) {
  flush();
  std::memcpy(append(kind, from, to, head.size(), ack), head.data(), head.size());
  OutgoingPacket& packet = *std::exchange(open_, nullptr);
  packet.zero_copy = &sending;
  send(packet, {packet.bytes, packet.used}, lent);
}

void Link::lend(RecordOf kind, int from, int to, std::span<const std::byte> head,
                std::span<const std::byte> lent, Sending& sending, Ack ack) {
  lend(kind, from, to, head, Engine::Parts(&lent, 1), sending, ack);
}

void Link::lend_piece(RecordOf kind, int from, int to, std::span<const std::byte> head,
                      std::span<const std::byte> lent, Piece& piece, Ack ack) {
  piece.is_lent_ = true;
  lend(kind, from, to, head, lent, piece, ack);
}

void Link::lend_piece(RecordOf kind, int from, int to, std::span<const std::byte> head,
                      Piece& piece, Ack ack) {
  piece.is_lent_ = true;
  lend(kind, from, to, head, Engine::Parts(piece.parts()), piece, ack);
}

bool Link::settles(int rank) {
  if (streams_.has_of(rank)) {
    streams_.push();
    if (streams_.has_of(rank)) return false;
  }
  const auto place = static_cast<std::size_t>(rank);
  const std::uint64_t last = place < last_of_.size() ? last_of_[place] : 0;
  if (last <= acknowledged() || is_lost()) return true;
  // A packet that is acknowledged answers for all before it.
  if (wanting() < last) (void)append(Kind::none, -1, -1, 0, Ack::soon);
  flush();
  return false;
}

void Link::flush() {
  if (open_ == nullptr) return;
  OutgoingPacket& packet = *std::exchange(open_, nullptr);
  const std::span<const std::byte> all(packet.bytes, packet.used);
  send(packet, {}, {&all, 1});
}

// Fills in the header, which lies where the head begins, or the body if there is no head.
void Link::send(OutgoingPacket& packet, std::span<const std::byte> head, Engine::Parts body) {
  PacketHeader header{.sequence = static_cast<std::uint32_t>(++sequence_),
                      .acknowledged = static_cast<std::uint32_t>(received_),
                      .process = links_.options_.process,
                      .flags = std::exchange(open_flags_, 0)};
  if ((header.flags & PacketHeader::wants_ack) != 0) wanting_ = sequence_;
  owes_ = Owes::nothing;
  std::memcpy(packet.bytes, &header, sizeof header);
  base::mark_defined(packet.bytes, packet.used);  // padding, too
  std::size_t lent_bytes = 0;
  if (!head.empty())
    for (const std::span<const std::byte> part : body) lent_bytes += part.size();
  header.sum =
      packet_sum({packet.bytes, packet.used}, {links_.options_.secret, process_, lent_bytes});
  std::memcpy(packet.bytes, &header.sum, sizeof header.sum);
  ++queued_;
  // A link that could not be connected is lost: nothing is sent.
  const auto token = reinterpret_cast<std::uint64_t>(static_cast<Sending*>(&packet));
  if (!is_connected_ ||
      (body.size() == 1 ? links_.engine_->send(process_, head, body.front(), token)
                        : links_.engine_->send_parts(process_, head, body, token)))
    packet.sent(packet);
}

/// Release: who finds it sees it as it was made.
Link& LinkTable::make(Links& links, int process) {
  const base::ProcessMemory kept;  // a rank that moves may be asking
  auto made = std::make_unique<Link>(links, process);
  Link* found = nullptr;
  if (links_[static_cast<std::size_t>(process)].compare_exchange_strong(
          found, made.get(), std::memory_order_acq_rel, std::memory_order_acquire))
    return *made.release();
  return *found;
}

Links::Links(const Options& options)
    : options_(options), links_(options.processes), services_(options.services) {
  partners_.reserve(static_cast<std::size_t>(options.processes));  // it never moves
  engine_ = options.open(*this, options.engine);
}

Links::~Links() {
  forget_sockets();
  engine_.reset();  // it may report what it lets go of
}

void Links::use(const Link& link) {
  ARMATURE_ASSERT(on_first_use != nullptr || link.is_lost());
  if (!link.is_lost()) on_first_use(link.process());
}

void Links::connect(int process, std::span<const std::byte> address, const std::string& name) {
  Link& link = to(process);
  if (link.is_connected_) return;
  if (const char* problem = engine_->connect(process, address))
    fail(Errc::start, fmt::format("{} cannot be reached by {}: {}. It may be the wrong interface: "
                                  "ARMATURE_NET_DEVICE names another one, or its subnet",
                                  name, engine_->description(), problem));
  link.is_connected_ = true;
  partners_.push_back(process);
  has_new_sockets_ = on_first_use != nullptr;
  if (on_connected != nullptr) on_connected(*this);
  // Handlers may not run within what is about to send: it may be amid something.
  if (on_first_use == nullptr) hear_strangers();
}

/// Takes in what has come from processes to which this one was not connected.
void Links::hear_strangers() {
  if (on_first_use != nullptr)
    for (const Strange& one : strange_)
      if (const Link& link = to(one.process); !link.is_connected_) use(link);
  for (const Strange& one : std::exchange(strange_, {})) received(one.packet.head, one.packet.body);
}

// Others may begin to gather meanwhile.
void Links::flush_all() {
  for (std::size_t i = 0; i < gathering_.size(); ++i) {
    gathering_[i]->gathers_ = false;
    gathering_[i]->flush();
  }
  gathering_.clear();
}

bool Links::progress() {
  // Acknowledgements that were owed when the last call ended have found nothing to travel with.
  acknowledge();
  bool any = streams_.push();
  any = engine_->progress() || any;
  if (on_first_use != nullptr && !strange_.empty()) hear_strangers();
  if (std::exchange(has_new_sockets_, false)) keep_sockets_from_children(engine_->descriptor());
  if (!owing_.empty()) {
    bool now = false;
    for (const Link* link : owing_) now = now || link->owes_ == Link::Owes::now;
    if (now) acknowledge();
  }
  return any;
}

void Links::acknowledge() {
  if (owing_.empty()) return;
  owes_.store(false, std::memory_order_relaxed);
  // Two lists in turn, so that none is allocated; what is sent may come here once more.
  std::vector<Link*> owing = std::exchange(owing_, std::exchange(owed_, {}));
  for (Link* link : owing) {
    if (link->owes_ == Link::Owes::nothing || link->lost_) continue;
    if (link->open_ == nullptr) (void)link->append(Kind::none, -1, -1, 0, Link::Ack::none);
    link->flush();
  }
  owing.clear();
  owed_ = std::move(owing);
}

// A packet that makes no sense ends the process: no exception may pass the engine.
void Links::received(std::span<const std::byte> head, std::span<const std::byte> body) noexcept {
  Link* link = take(head, body);
  while (link != nullptr) link = take(*link);
}

Link* Links::take(Link& link) {
  if (link.early_.empty()) return nullptr;
  const auto next = link.early_.extract(static_cast<std::uint32_t>(link.received_ + 1));
  return next.empty() ? nullptr : take(next.mapped().head, next.mapped().body);
}

Link* Links::take(std::span<const std::byte> head, std::span<const std::byte> body) {
  const std::span<const std::byte> packet = head.empty() ? body : head;
  const PacketScope scope{options_.secret, options_.process, head.empty() ? 0 : body.size()};
  PacketHeader header;
  if (packet.size() >= sizeof header) std::memcpy(&header, packet.data(), sizeof header);
  if (packet.size() < sizeof header || header.sum != packet_sum(packet, scope) ||
      header.process < 0 || header.process >= options_.processes ||
      header.process == options_.process) {
    refusals_.add(Refusals::Why::strange);
    return nullptr;
  }
  Link& link = to(header.process);
  if (link.is_lost()) return nullptr;  // it has been given up, and may not know
  if (!link.is_connected_) {
    strange_.push_back({header.process, {{head.begin(), head.end()}, {body.begin(), body.end()}}});
    return nullptr;
  }
  const auto ahead =
      static_cast<std::int32_t>(header.sequence - static_cast<std::uint32_t>(link.received_ + 1));
  if (ahead < 0) {
    refusals_.add(Refusals::Why::repeated);
    return nullptr;
  }
  if (ahead > 0) {
    link.early_[header.sequence] = {{head.begin(), head.end()}, {body.begin(), body.end()}};
    return nullptr;
  }
  const auto news = static_cast<std::int32_t>(header.acknowledged -
                                              static_cast<std::uint32_t>(link.acknowledged()));
  const bool was_idle = link.is_idle();
  if (news > 0 && link.acknowledged() + static_cast<std::uint32_t>(news) > link.sequence_)
    fail(Errc::corrupt, fmt::format("process {} acknowledges packet {}, which was not sent",
                                    header.process, header.acknowledged));
  // Release: who sees it sees what has come before it.
  if (news > 0)
    link.acknowledged_.fetch_add(static_cast<std::uint32_t>(news), std::memory_order_release);
  const std::uint64_t sent = link.sequence_;
  const std::size_t gathered = link.open_ != nullptr ? link.open_->used : 0;
  handle_records(link, packet.subspan(sizeof header),
                 head.empty() ? std::span<const std::byte>() : body);
  // Perhaps by a socket that it has opened.
  if (link.received_++ == 0) has_new_sockets_ = on_first_use != nullptr;
  if ((header.flags & PacketHeader::wants_ack) != 0) {
    if (link.owes_ == Link::Owes::nothing) owing_.push_back(&link);
    owes_.store(true, std::memory_order_relaxed);
    link.owes_ = (header.flags & PacketHeader::ack_soon) != 0 ? Link::Owes::now : link.owes_;
    if (link.owes_ == Link::Owes::nothing) link.owes_ = Link::Owes::later;
  }
  // An answer, which takes the acknowledgement along.
  if (link.open_ != nullptr && (link.sequence_ != sent || link.open_->used != gathered))
    link.flush();
  if (!was_idle && link.is_idle()) {
    if (on_idle != nullptr) on_idle(link);
    link.flush();
  }
  return &link;
}

void Links::handle_records(Link& link, std::span<const std::byte> records,
                           std::span<const std::byte> lent) {
  while (!records.empty()) {
    Record record;
    const bool whole = records.size() >= sizeof record;
    if (whole) std::memcpy(&record, records.data(), sizeof record);
    const std::size_t length = std::size_t{record.bytes} + record.filler;
    if (!whole || record.bytes < sizeof record || length > records.size())
      fail(Errc::corrupt, fmt::format("a packet of process {} makes no sense", link.process_));
    const bool last = length == records.size();
    const Arrived arrived{link.process_, record,
                          records.subspan(sizeof record, record.bytes - sizeof record),
                          last ? lent : std::span<const std::byte>()};
    services_.require_known(record.kind, link.process_);
    if (record.kind == RecordKind{0, static_cast<std::uint8_t>(Kind::hello)}) link.hello_ = true;
    if (record.kind == RecordKind{0, static_cast<std::uint8_t>(Kind::over)}) link.over_ = true;
    if (record.kind == RecordKind{0, static_cast<std::uint8_t>(Kind::bye)}) link.bye_ = true;
    const Handling& how = services_.handling(record.kind);
    if (how.handler != nullptr && (!link.ignores_ || how.is_never_ignored)) how.handler(arrived);
    records = records.subspan(length);
  }
}

void Links::sent(std::uint64_t token) {
  auto& sending = *reinterpret_cast<Sending*>(token);
  sending.sent(sending);
}

void Links::lost(int peer, const char* why) {
  Link& link = to(peer);
  if (link.lost_.exchange(true)) return;
  link.early_.clear();
  if (link.is_connected_) engine_->drop(peer);
  link.streams_.cut();
  // Nothing will be acknowledged any more; who waits for that looks at whether the link is lost.
  if (on_lost != nullptr) on_lost(link, why);
}

}  // namespace armature::transport

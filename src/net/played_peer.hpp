#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "net/network.hpp"
#include "space/small_job.hpp"
#include "wait/implicit.hpp"
#include "wait/rank_context.hpp"
#include "wait/wait.hpp"

// Unit tests of what happens between nodes: rank 0 is this process, which believes that ranks 1 and
// 2 are a process on another node. That one is played by the test, behind an engine without a
// network: it sees every record and sends what the test wants.

namespace armature::net {

using Bytes = std::vector<std::byte>;

/// The other process. Any thread may ask it for anything.
class PlayedPeer {
 public:
  static constexpr int process = 1;
  /// The links' own are spoken before there is a network.
  [[nodiscard]] static transport::RecordKind kind_of(transport::RecordOf named) {
    if (named.service == &transport::link_service) return {0, named.number};
    return network()->links().services().kind_of(named);
  }
  struct Seen {
    transport::Record record;
    Bytes body;
    [[nodiscard]] bool is(transport::RecordOf kind) const { return record.kind == kind_of(kind); }
    template <class T>
    [[nodiscard]] T head() const {
      T value{};
      if (!body.empty())
        std::memcpy(static_cast<void*>(&value), body.data(), std::min(sizeof value, body.size()));
      return value;
    }
  };

  PlayedPeer() { the_one = this; }
  PlayedPeer(const PlayedPeer&) = delete;
  PlayedPeer& operator=(const PlayedPeer&) = delete;
  ~PlayedPeer() {
    the_one = nullptr;
    close(event);
  }

  /// From `from`, one of its ranks, to rank 0.
  void say(transport::RecordOf kind, int from, const void* body = nullptr, std::size_t bytes = 0) {
    say_as(kind_of(kind), from, body, bytes);
  }
  void say_as(transport::RecordKind kind, int from, const void* body = nullptr,
              std::size_t bytes = 0) {
    const std::lock_guard locked(mutex);
    const std::size_t padded = (bytes + 7) / 8 * 8;
    const transport::PacketHeader header{secret, ++sequence, received, process, flags};
    const transport::Record record{kind, static_cast<std::uint16_t>(padded - bytes),
                                   static_cast<std::uint32_t>(sizeof record + bytes), from, 0};
    Bytes packet(sizeof header + sizeof record + padded);
    std::memcpy(packet.data(), &header, sizeof header);
    std::memcpy(packet.data() + sizeof header, &record, sizeof record);
    if (bytes > 0) std::memcpy(packet.data() + sizeof header + sizeof record, body, bytes);
    incoming.push_back(std::move(packet));
    if (is_heard) wake();
  }
  template <class Body>
  void say(transport::RecordOf kind, int from, const Body& body) {
    say(kind, from, &body, sizeof body);
  }

  /// What was sent to it of that kind.
  [[nodiscard]] std::vector<Seen> seen(transport::RecordOf named) const {
    const transport::RecordKind kind = kind_of(named);
    const std::lock_guard locked(mutex);
    std::vector<Seen> found;
    for (const Seen& one : all_seen)
      if (one.record.kind == kind) found.push_back(one);
    return found;
  }

  void wake() const {
    const std::uint64_t one = 1;
    (void)!write(event, &one, sizeof one);
  }

  /// Told of every record, on whatever thread has sent it; may say something.
  std::function<void(const Seen&)> on_record;
  bool acknowledges = true;
  bool is_heard = true;  // by who sleeps until something comes
  int greets_after = 0;  // so many signs of life
  static inline bool has_other_services = false;

  // Between it and its engine, under the mutex.
  mutable std::recursive_mutex mutex;
  std::deque<Bytes> incoming;
  std::vector<Seen> all_seen;
  std::uint64_t secret = 0;
  std::uint32_t sequence = 0, received = 0;
  std::uint32_t acknowledged = 0;  // of what it has said
  std::uint32_t flags = 0;         // of what it says
  std::atomic<int> drops = 0;
  // Whether its engine lets go of nothing that it was lent; and what it has by now.
  std::atomic<bool> keeps_lent = false;
  std::deque<std::uint64_t> lent;
  /// One-sided operations, of memory that is in this process.
  struct OneSided {
    struct Move {
      std::byte* to;
      const std::byte* from;
      std::size_t bytes;
      std::uint64_t token;
    };
    bool is_offered = false;
    bool is_held_back = false;  // what it has been told to move
    std::deque<Move> moves;
    std::vector<std::span<std::byte>> memories;
    std::size_t puts = 0, gets = 0;
  };
  OneSided one_sided;
  int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

  static inline PlayedPeer* the_one = nullptr;
};

class PlayedEngine final : public transport::Engine {
 public:
  explicit PlayedEngine(transport::Sink& sink) : sink_(sink), peer_(*PlayedPeer::the_one) {}

  [[nodiscard]] const char* description() const override { return "nothing"; }
  [[nodiscard]] std::span<const std::byte> address() const override { return {}; }
  [[nodiscard]] const char* connect(int, std::span<const std::byte>) override { return nullptr; }
  [[nodiscard]] bool send(int, std::span<const std::byte> head, std::span<const std::byte> body,
                          std::uint64_t token) override {
    const std::lock_guard locked(peer_.mutex);
    Bytes packet(head.begin(), head.end());
    packet.insert(packet.end(), body.begin(), body.end());
    transport::PacketHeader header;
    std::memcpy(&header, packet.data(), sizeof header);
    peer_.secret = header.secret;
    peer_.received = header.sequence;
    peer_.acknowledged = header.acknowledged;
    see(packet, head.empty() ? body.size() : head.size());
    if (peer_.acknowledges && (header.flags & transport::PacketHeader::wants_ack) != 0)
      peer_.say(transport::Kind::none, -1);
    if (head.empty() || !peer_.keeps_lent) return true;
    peer_.lent.push_back(token);
    return false;
  }
  void drop(int) override { ++peer_.drops; }
  bool progress() override {
    std::deque<Bytes> packets;
    std::deque<PlayedPeer::OneSided::Move> moves;
    std::deque<std::uint64_t> lent;
    {
      const std::lock_guard locked(peer_.mutex);
      packets.swap(peer_.incoming);
      if (!peer_.one_sided.is_held_back) moves.swap(peer_.one_sided.moves);
      if (!peer_.keeps_lent) lent.swap(peer_.lent);
      std::uint64_t count = 0;
      (void)!read(peer_.event, &count, sizeof count);
    }
    for (const Bytes& packet : packets) sink_.received(packet, {});
    for (const auto& move : moves) {
      std::memcpy(move.to, move.from, move.bytes);
      sink_.sent(move.token);
    }
    for (const std::uint64_t token : lent) sink_.sent(token);
    return !packets.empty() || !moves.empty() || !lent.empty();
  }
  [[nodiscard]] int descriptor() const override { return peer_.event; }
  [[nodiscard]] bool arm() override {
    const std::lock_guard locked(peer_.mutex);

    return peer_.incoming.empty() &&
           (peer_.one_sided.is_held_back || peer_.one_sided.moves.empty());
  }

  [[nodiscard]] bool is_one_sided() const override { return peer_.one_sided.is_offered; }
  [[nodiscard]] Bytes offer(std::span<std::byte> memory) override {
    peer_.one_sided.memories.push_back(memory);
    return Bytes(8, std::byte{1});
  }
  [[nodiscard]] void* accept(int, std::span<const std::byte> offered) override {
    return offered.empty() ? nullptr : &peer_;
  }
  void put(int, void*, std::uint64_t to, std::span<const std::byte> from,
           std::uint64_t token) override {
    const std::lock_guard locked(peer_.mutex);
    ++peer_.one_sided.puts;
    peer_.one_sided.moves.push_back(
        {reinterpret_cast<std::byte*>(to), from.data(), from.size(), token});
  }
  void get(int, void*, std::uint64_t from, std::span<std::byte> to, std::uint64_t token) override {
    const std::lock_guard locked(peer_.mutex);
    ++peer_.one_sided.gets;
    peer_.one_sided.moves.push_back(
        {to.data(), reinterpret_cast<const std::byte*>(from), to.size(), token});
  }

 private:
  /// The packet's records, without what was lent behind the last.
  void see(const Bytes& packet, std::size_t end) {
    for (std::size_t at = sizeof(transport::PacketHeader); at < end;) {
      transport::Record record;
      std::memcpy(&record, packet.data() + at, sizeof record);
      const auto body = packet.begin() + static_cast<std::ptrdiff_t>(at + sizeof record);
      const auto bytes = static_cast<std::ptrdiff_t>(record.bytes - sizeof record);
      const PlayedPeer::Seen seen{record, {body, body + bytes}};
      peer_.all_seen.push_back(seen);
      if (seen.is(transport::Kind::bye)) peer_.say(transport::Kind::bye, -1);
      if (seen.is(transport::Kind::hello) || seen.is(transport::Kind::none))
        if (peer_.greets_after-- == 0) peer_.say(transport::Kind::hello, -1);
      if (peer_.on_record) peer_.on_record(seen);
      at += record.bytes + record.filler;
    }
  }

  transport::Sink& sink_;
  PlayedPeer& peer_;
};

/// What both would have told each other.
class PlayedExchange final : public bootstrap::Exchange {
 public:
  [[nodiscard]] int process() const override { return 0; }
  [[nodiscard]] int processes() const override { return 2; }
  void put(std::string_view key, std::span<const std::byte> value) override {
    values_[std::string(key)] = {value.begin(), value.end()};
  }
  [[nodiscard]] Bytes get(int, std::string_view key) override {
    Bytes value = values_[std::string(key)];
    if (key == "net.services" && PlayedPeer::the_one->has_other_services) value[0] ^= std::byte{1};
    return value;
  }

 protected:
  void wait_for_all(std::chrono::milliseconds /*patience*/) override {}

 private:
  std::map<std::string, Bytes, std::less<>> values_;
};

class PlayedNetwork {
 public:
  static constexpr int ranks = 3;

  explicit PlayedNetwork(NetworkOptions options = {}, int greets_after = 0) {
    peer.greets_after = greets_after;
    // Mapped like ranks of this node, so that the test can look at their memory.
    const space::Mapping& mapping = job_.mapping();
    mapping.header().nodes = 2;
    for (const int far : {1, 2}) {
      mapping.slot(far).node = 1;
      mapping.slot(far).process = PlayedPeer::process;
      mapping.slot(far).life = space::Life::running;
    }
    mapping.slot(0).process = 0;
    mapping.slot(0).life = space::Life::running;
    wait::start_waiting(mapping.header());
    space_ = std::make_unique<space::AddressSpace>(
        mapping, Rank(0), space::AddressSpace::BandFile{job_.memory().bands[0].get()});
    options.open = [](transport::Sink& sink, const transport::EngineOptions&) {
      return std::unique_ptr<transport::Engine>(new PlayedEngine(sink));
    };
    Network::join(mapping, {space_.get()}, exchange_, options);
    context_ = std::make_unique<wait::RankContext>(*space_);
    wait::implicit_slot.put(context_->slots, &implicit_);
    before_ = wait::set_sole_rank(nullptr);
    wait::set_this_rank(context_.get());
  }
  PlayedNetwork(const PlayedNetwork&) = delete;
  PlayedNetwork& operator=(const PlayedNetwork&) = delete;
  ~PlayedNetwork() {
    Network::leave();
    wait::set_this_rank(nullptr);
    context_.reset();
    wait::set_sole_rank(before_);
    wait::set_this_rank(before_);
  }

  [[nodiscard]] const space::Mapping& mapping() const { return job_.mapping(); }
  [[nodiscard]] space::AddressSpace& space() { return *space_; }
  [[nodiscard]] wait::RankContext& context() { return *context_; }
  PlayedPeer peer;

  /// Whether that comes to hold, while this rank polls or does nothing.
  template <class Condition>
  [[nodiscard]] static bool until(Condition condition, bool polls = true) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      if (polls)
        (void)network()->poll();
      else
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (std::chrono::steady_clock::now() > deadline) return false;
    }
    return true;
  }

 private:
  space::SmallJob job_{ranks};
  std::unique_ptr<space::AddressSpace> space_;
  PlayedExchange exchange_;
  std::unique_ptr<wait::RankContext> context_;
  wait::Implicit implicit_;
  wait::RankContext* before_ = nullptr;
};

}  // namespace armature::net

#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "engines/engine.hpp"
#include "engines/load.hpp"
#include "transport/links_mutex.hpp"
#include "transport/outgoing_packet.hpp"
#include "transport/packet.hpp"
#include "transport/refusals.hpp"
#include "transport/service.hpp"
#include "transport/service_table.hpp"
#include "transport/stream.hpp"
#include "transport/stream_queue.hpp"

namespace armature::transport {

class Links;

/// One other process. Small records gather in a packet while an earlier one is under way, and leave
/// at once when none is; so does a packet that is full, or that somebody waits for.
class Link {
 public:
  static constexpr std::size_t packet_bytes = OutgoingPacket::bytes_max;
  /// The longest body.
  static constexpr std::size_t body_bytes_max =
      packet_bytes - sizeof(PacketHeader) - sizeof(Record) - 8;

  Link(Links& links, int process);
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() = default;

  enum class Ack : std::uint32_t {
    none = 0,
    later = PacketHeader::wants_ack,
    soon = PacketHeader::wants_ack | PacketHeader::ack_soon
  };

  /// Room for a record's body, to be written before anything else is called.
  [[nodiscard]] std::byte* append(RecordOf kind, int from, int to, std::size_t body_bytes, Ack ack);
  /// A record whose body is that.
  template <class Head>
  void post(RecordOf kind, int from, int to, const Head& head, Ack ack) {
    std::memcpy(append(kind, from, to, sizeof head, ack), &head, sizeof head);
  }
  /// A record whose bytes behind `head` stay where they are until `sending` is told.
  void lend(RecordOf kind, int from, int to, std::span<const std::byte> head,
            std::span<const std::byte> lent, Sending& sending, Ack ack);

  /// Appends a record of a stream whose bytes behind `head` stay where they are, as lend() does.
  void lend_piece(RecordOf kind, int from, int to, std::span<const std::byte> head,
                  std::span<const std::byte> lent, Piece& piece, Ack ack);
  /// Appends such a record, whose bytes lie where piece.parts() says: at most as many parts as the
  /// engine gathers.
  void lend_piece(RecordOf kind, int from, int to, std::span<const std::byte> head, Piece& piece,
                  Ack ack);

  /// Transfers that are longer than a packet.
  [[nodiscard]] StreamQueue& streams() { return streams_; }
  [[nodiscard]] const StreamQueue& streams() const { return streams_; }

  /// Sends what has gathered.
  void flush();
  /// Sends it unless it had better wait for more.
  void offer() {
    if (is_idle()) flush();
  }
  /// Nothing is under way that will be acknowledged.
  [[nodiscard]] bool is_idle() const { return wanting_ <= acknowledged(); }
  [[nodiscard]] bool holds_records() const { return open_ != nullptr; }
  /// Packets that wanted an acknowledgement, so far; and up to where it has come.
  [[nodiscard]] std::uint64_t wanting() const {
    return open_flags_ != 0 ? sequence_ + 1 : wanting_;
  }
  [[nodiscard]] std::uint64_t acknowledged() const {
    return acknowledged_.load(std::memory_order_acquire);
  }
  /// Whether all that this rank has sent has been handled. If not, the other side is asked to say
  /// so soon.
  [[nodiscard]] bool settles(int rank);
  /// Packets the engine has not taken yet: the network is slower than the program.
  [[nodiscard]] std::size_t queued() const { return queued_.load(std::memory_order_relaxed); }
  /// So many it should have at most.
  static constexpr std::size_t queued_max = 64;
  static_assert(StreamQueue::packets_queued_max == queued_max / 2);

  [[nodiscard]] bool said_hello() const { return hello_; }
  [[nodiscard]] bool said_over() const { return over_; }
  [[nodiscard]] bool said_bye() const { return bye_; }
  /// Whether the engine has been told how to reach the process. Under the lock.
  [[nodiscard]] bool is_connected() const { return is_connected_; }
  [[nodiscard]] bool is_lost() const { return lost_.load(std::memory_order_acquire); }
  [[nodiscard]] int process() const { return process_; }
  /// Whether what comes is of no use any more: it is acknowledged and not handled, but for what
  /// tells of processes.
  void ignore(bool what_comes) { ignores_ = what_comes; }
  /// Packets that have come before the one that is due: it is late, or was refused.
  [[nodiscard]] std::size_t early() const { return early_.size(); }
  /// Packets that have come, so far.
  [[nodiscard]] std::uint64_t received() const { return received_; }

 private:
  friend class Links;

  void lend(RecordOf kind, int from, int to, std::span<const std::byte> head, Engine::Parts lent,
            Sending& sending, Ack ack);
  void send(OutgoingPacket& packet, std::span<const std::byte> head, Engine::Parts body);
  void note_sender(int rank) {
    const auto place = static_cast<std::size_t>(rank);
    if (place >= last_of_.size()) [[unlikely]]
      last_of_.resize(place + 1);
    last_of_[place] = sequence_ + 1;
  }

  Links& links_;
  const int process_;
  OutgoingPacket* open_ = nullptr;  // what gathers
  std::uint32_t open_flags_ = 0;
  std::uint64_t sequence_ = 0;  // of the last packet sent
  std::uint64_t wanting_ = 0;   // of the last that wanted an acknowledgement
  // Looked at without the lock, these five.
  std::atomic<std::uint64_t> acknowledged_ = 0;  // up to this the other has handled them
  std::atomic<std::size_t> queued_ = 0;
  std::atomic<bool> over_ = false, bye_ = false, lost_ = false;
  std::uint64_t received_ = 0;          // of the last packet handled here
  std::vector<std::uint64_t> last_of_;  // by rank: the packet that has what it sent last
  // A packet that an engine cuts in pieces may be overtaken by a later one while it waits for room
  // on the wire: UCX does that. What comes early is kept until it is due.
  struct Early {
    std::vector<std::byte> head, body;
  };
  std::map<std::uint32_t, Early> early_;  // by sequence
  StreamQueue streams_;
  bool gathers_ = false;  // it is among Links::gathering_
  enum class Owes { nothing, later, now } owes_ = Owes::nothing;
  bool hello_ = false;
  bool is_connected_ = false;
  bool ignores_ = false;
};

/// The links by process, each made when it is first asked for, by any thread.
class LinkTable {
 public:
  explicit LinkTable(int processes) : links_(static_cast<std::size_t>(processes)) {}
  LinkTable(const LinkTable&) = delete;
  LinkTable& operator=(const LinkTable&) = delete;
  ~LinkTable() {
    for (const std::atomic<Link*>& link : links_) delete link.load(std::memory_order_relaxed);
  }

  /// nullptr: nobody has asked for it. Acquire: who finds it sees it as it was made.
  [[nodiscard]] Link* find(int process) const {
    return links_[static_cast<std::size_t>(process)].load(std::memory_order_acquire);
  }
  /// Returns the link that the first of those has made who do so at once.
  [[nodiscard]] Link& make(Links& links, int process);

 private:
  std::vector<std::atomic<Link*>> links_;
};

/// All links of this process, over one engine. Everything is done under lock().
class Links : public Sink {
 public:
  struct Options {
    int process = 0;
    int processes = 1;
    std::uint64_t secret = 0;
    EngineOptions engine;
    OpenBy open = load_engine;
    std::vector<const Service*> services;  // the same in all processes, in this order
  };
  explicit Links(const Options& options);
  ~Links() override;

  [[nodiscard]] Engine& engine() { return *engine_; }
  [[nodiscard]] const Engine& engine() const { return *engine_; }
  /// Throws Error(start) when it is clear at once that `name`, as errors call it, cannot be
  /// reached. What that process has sent before is taken in: it may have connected earlier. Where
  /// links connect at first use, the next progress() does so.
  void connect(int process, std::span<const std::byte> address, const std::string& name);
  /// The processes to which this one is connected, in the order in which it connected. Under the
  /// lock.
  [[nodiscard]] const std::vector<int>& partners() const { return partners_; }

  [[nodiscard]] const ServiceTable& services() const { return services_; }

  using Lock = std::lock_guard<LinksMutex>;
  [[nodiscard]] LinksMutex& lock() { return lock_; }
  /// Not only under the lock.
  [[nodiscard]] Link& to(int process) {
    Link* const found = links_.find(process);
    return found != nullptr ? *found : links_.make(*this, process);
  }
  [[nodiscard]] bool is_connected(int process) const {
    const Link* const link = links_.find(process);
    return link != nullptr && link->is_connected();
  }
  /// Whether something has come from a process to which this one has not connected yet.
  [[nodiscard]] bool has_heard_of(int process) const {
    return std::ranges::any_of(strange_,
                               [&](const Strange& one) { return one.process == process; });
  }
  [[nodiscard]] int process() const { return options_.process; }
  [[nodiscard]] int processes() const { return options_.processes; }

  /// Ignores what comes from any process from now on, see Link::ignore. Under the lock.
  void ignore_all() {
    for (const int process : partners_) to(process).ignore(true);
  }
  /// From now on nothing is expected of that process.
  void give_up(int process, const char* why) { lost(process, why); }

  /// Sends what has gathered for any process.
  void flush_all();
  /// Handles what has come and acknowledges it; whether there was something. Under the lock.
  bool progress();
  /// Whether acknowledgements are still to be sent, which the next progress() does. Not only under
  /// the lock: who has taken in what is to be acknowledged knows it.
  [[nodiscard]] bool owes() const { return owes_.load(std::memory_order_relaxed); }
  /// The streams of all links.
  [[nodiscard]] StreamQueues& streams() { return streams_; }
  [[nodiscard]] const StreamQueues& streams() const { return streams_; }
  [[nodiscard]] Refusals& refusals() { return refusals_; }
  /// Takes in a packet, as an engine reports it: `body` is what was lent, or all where `head` is
  /// empty. Returns the link that it came by, if it was due. Throws Error(corrupt) where a process
  /// of this job sends what makes no sense. Then the packet has not been taken in, but for its
  /// acknowledgement and for what its first records have done.
  [[nodiscard]] Link* take(std::span<const std::byte> head, std::span<const std::byte> body);
  /// Takes in the packet that is due of those that have come early, as take() does, if it is there.
  [[nodiscard]] Link* take(Link& link);

  /// Called under the lock when a link has become idle; when one is lost; when one has been
  /// connected.
  void (*on_idle)(Link& link) = nullptr;
  void (*on_lost)(Link& link, const char* why) = nullptr;
  void (*on_connected)(Links& links) = nullptr;
  /// Called under the lock when something is first to be sent to a process, or has come from one to
  /// which this one is not connected: it connects to that process, or gives it up. Empty where all
  /// are connected to when the network begins, or when they come.
  std::function<void(int process)> on_first_use;

 private:
  friend class Link;
  void use(const Link& link);
  void hear_strangers();
  void received(std::span<const std::byte> head, std::span<const std::byte> body) noexcept override;
  void sent(std::uint64_t token) override;
  void lost(int peer, const char* why) override;
  void handle_records(Link& link, std::span<const std::byte> records,
                      std::span<const std::byte> lent);
  void acknowledge();

  Options options_;
  LinksMutex lock_;
  std::unique_ptr<Engine> engine_;
  LinkTable links_;
  std::vector<int> partners_;
  PacketPool packets_;
  std::vector<Link*> gathering_;  // all that hold records, and others that have
  StreamQueues streams_;
  std::vector<Link*> owing_;
  std::vector<Link*> owed_;         // empty, with memory for them
  std::atomic<bool> owes_ = false;  // there are some
  ServiceTable services_;
  bool has_new_sockets_ = false;  // the engine's, which no child may keep
  // Packets of processes of the job to which this one has not connected yet. Few: it connects at
  // the next progress(), or a process greets and waits for an answer.
  struct Strange {
    int process;
    Link::Early packet;
  };
  std::vector<Strange> strange_;
  Refusals refusals_;
};

}  // namespace armature::transport

#include "engines/sim/turn_engine.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "base/fail.hpp"
#include "base/random.hpp"
#include "engines/sim/fault_rates.hpp"
#include "engines/sim/turns.hpp"

namespace armature::transport::sim {
namespace {

/// A ring of packets from one process to another, in the memory that they share.
class Lane {
 public:
  explicit Lane(std::span<std::byte> memory)
      : ends_(reinterpret_cast<Ends*>(memory.data())), ring_(memory.subspan(sizeof(Ends))) {}

  struct Title {
    std::uint64_t arrives_ns = 0;
    std::uint32_t head_bytes = 0, body_bytes = 0;
  };

  [[nodiscard]] bool has_room(std::size_t bytes) const {
    ARMATURE_ASSERT(sizeof(Title) + bytes <= ring_.size());
    return sizeof(Title) + bytes <= ring_.size() - (ends_->written - ends_->read);
  }
  void write(std::uint64_t arrives_ns, std::span<const std::byte> head,
             std::span<const std::byte> body) {
    const Title title{arrives_ns, static_cast<std::uint32_t>(head.size()),
                      static_cast<std::uint32_t>(body.size())};
    write(std::as_bytes(std::span(&title, 1)));
    write(head);
    write(body);
  }

  [[nodiscard]] bool is_empty() const { return ends_->written == ends_->read; }
  Title read_title() {
    Title title;
    read(std::as_writable_bytes(std::span(&title, 1)));
    return title;
  }
  std::vector<std::byte> read(std::size_t bytes) {
    std::vector<std::byte> out(bytes);
    read(out);
    return out;
  }

 private:
  struct Ends {
    std::uint64_t written, read;  // bytes so far
  };

  void write(std::span<const std::byte> bytes) {
    const std::size_t at = ends_->written % ring_.size();
    const std::size_t first = std::min(bytes.size(), ring_.size() - at);
    std::copy_n(bytes.begin(), first, ring_.begin() + static_cast<std::ptrdiff_t>(at));
    std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(first), bytes.end(), ring_.begin());
    ends_->written += bytes.size();
  }
  void read(std::span<std::byte> bytes) {
    const std::size_t at = ends_->read % ring_.size();
    const std::size_t first = std::min(bytes.size(), ring_.size() - at);
    const auto behind =
        std::copy_n(ring_.begin() + static_cast<std::ptrdiff_t>(at), first, bytes.begin());
    std::copy_n(ring_.begin(), bytes.size() - first, behind);
    ends_->read += bytes.size();
  }

  Ends* ends_;
  std::span<std::byte> ring_;
};

class TurnEngine final : public Engine {
 public:
  TurnEngine(Sink& sink, Turns& turns)
      : sink_(sink),
        turns_(turns),
        common_random_(turns.seed() * 3 + 1),
        fault_rates_(common_random_, 300'000),
        in_order_(common_random_.chance(0.3)),
        random_((turns.seed() << 8) + static_cast<std::uint64_t>(turns.process())),
        latest_ns_(static_cast<std::size_t>(turns.processes())),
        known_ns_(latest_ns_.size()),
        dropped_(latest_ns_.size()) {}
  ~TurnEngine() override { turns_.end(); }

  [[nodiscard]] const char* description() const override { return "a simulated network"; }
  [[nodiscard]] std::span<const std::byte> address() const override { return {}; }
  [[nodiscard]] const char* connect(int peer, std::span<const std::byte> /*address*/) override {
    peers_.push_back(peer);
    return nullptr;
  }
  [[nodiscard]] bool send(int peer, std::span<const std::byte> head,
                          std::span<const std::byte> body, std::uint64_t token) override {
    if (dropped_[static_cast<std::size_t>(peer)]) return true;
    if (turns_.has_begun()) {
      if (!random_.chance(fault_rates_.clogging) && depart(peer, head, body)) return true;
      turns_.count_waiting(1);
    }
    const std::uint64_t wait_ns = random_.below(fault_rates_.short_ns);
    held_.emplace(turns_.now_ns() + wait_ns, Held{peer, head, body, token});
    return false;
  }
  void drop(int peer) override {
    dropped_[static_cast<std::size_t>(peer)] = true;
    for (auto& [due_ns, held] : held_)
      if (held.peer == peer) held.is_dropped = true;
  }
  bool progress() override;
  [[nodiscard]] int descriptor() const override { return -1; }
  [[nodiscard]] bool arm() override { return false; }

 private:
  /// Lent by who sends it, and not on its way yet.
  struct Held {
    int peer;
    std::span<const std::byte> head, body;
    std::uint64_t token;
    bool is_dropped = false;
  };
  struct Packet {
    int from;
    std::vector<std::byte> head, body;
  };

  [[nodiscard]] bool depart(int peer, std::span<const std::byte> head,
                            std::span<const std::byte> body);
  [[nodiscard]] bool send_held();
  void take_in();
  void look_for_deaths();
  void look_for_ends();
  void lose(int peer);
  [[nodiscard]] bool deliver();

  Sink& sink_;
  Turns& turns_;
  base::Random common_random_;  // the same for all processes
  FaultRates fault_rates_;
  bool in_order_;        // no packet overtakes another
  base::Random random_;  // what happens to what this process sends
  std::vector<int> peers_;
  std::vector<std::uint64_t> latest_ns_;       // by peer: when the last packet to it arrives
  std::vector<std::uint64_t> known_ns_;        // by peer: when it is known that it was killed
  std::vector<bool> dropped_;                  // by peer
  std::multimap<std::uint64_t, Held> held_;    // by when they are to leave
  std::multimap<std::uint64_t, Packet> came_;  // by when they arrive
};

/// False when there is no room on the way.
bool TurnEngine::depart(int peer, std::span<const std::byte> head,
                        std::span<const std::byte> body) {
  Lane lane(turns_.lane(turns_.process(), peer));
  if (!lane.has_room(head.size() + body.size())) return false;
  std::uint64_t& latest_ns = latest_ns_[static_cast<std::size_t>(peer)];
  std::uint64_t arrives_ns = turns_.now_ns() + fault_rates_.delay_ns(random_);
  if (in_order_) arrives_ns = latest_ns = std::max(latest_ns, arrives_ns);
  lane.write(arrives_ns, head, body);
  turns_.count_under_way(peer, 1);
  return true;
}

bool TurnEngine::send_held() {
  bool any = false;
  for (auto next = held_.begin(); next != held_.end() && next->first <= turns_.now_ns();) {
    const Held held = next->second;
    if (!held.is_dropped && !depart(held.peer, held.head, held.body)) {
      ++next;
      continue;
    }
    turns_.count_waiting(-1);
    next = held_.erase(next);
    sink_.sent(held.token);
    any = true;
  }
  return any;
}

/// Takes from all: a process that comes to a job speaks to those who have not connected to it yet.
void TurnEngine::take_in() {
  for (int peer = 0; peer < turns_.processes(); ++peer)
    for (Lane lane(turns_.lane(peer, turns_.process())); !lane.is_empty();) {
      const Lane::Title title = lane.read_title();
      std::vector<std::byte> head = lane.read(title.head_bytes);
      came_.emplace(title.arrives_ns, Packet{peer, std::move(head), lane.read(title.body_bytes)});
    }
}

/// Somewhat later than it has happened.
void TurnEngine::look_for_deaths() {
  for (const int peer : peers_) {
    const std::uint64_t killed_ns = turns_.killed_ns(peer);
    if (killed_ns == 0) continue;
    std::uint64_t& known_ns = known_ns_[static_cast<std::size_t>(peer)];
    if (known_ns == 0) known_ns = killed_ns + random_.below(fault_rates_.long_ns);
    if (known_ns <= turns_.now_ns()) lose(peer);
  }
}

/// Reports a peer as lost that has ended by itself. All that it has sent comes before that.
void TurnEngine::look_for_ends() {
  for (const int peer : peers_) {
    std::uint64_t& known_ns = known_ns_[static_cast<std::size_t>(peer)];
    if (known_ns == UINT64_MAX || !turns_.has_ended(peer)) continue;
    const auto is_from = [&](const auto& came) { return came.second.from == peer; };
    if (std::ranges::any_of(came_, is_from)) continue;
    known_ns = UINT64_MAX;
    sink_.lost(peer, "it has ended");
  }
}

/// Reports a peer as lost. Packets that it has sent come before that, or never.
void TurnEngine::lose(int peer) {
  std::uint64_t& known_ns = known_ns_[static_cast<std::size_t>(peer)];
  const auto is_from = [&](const auto& came) { return came.second.from == peer; };
  if (std::ranges::any_of(came_, is_from) && random_.chance(0.5)) {
    known_ns = turns_.now_ns() + random_.below(fault_rates_.short_ns);
    return;
  }
  const auto lost = static_cast<int>(std::erase_if(came_, is_from));
  turns_.count_under_way(turns_.process(), -lost);
  known_ns = UINT64_MAX;
  sink_.lost(peer, "it was killed");
}

bool TurnEngine::deliver() {
  constexpr int at_once_max = 16;
  int delivered = 0;
  for (; delivered < at_once_max && !came_.empty() && came_.begin()->first <= turns_.now_ns();
       ++delivered) {
    const auto packet = came_.extract(came_.begin());
    turns_.count_under_way(turns_.process(), -1);
    sink_.received(packet.mapped().head, packet.mapped().body);
  }
  return delivered != 0;
}

bool TurnEngine::progress() {
  if (turns_.has_begun()) {
    turns_.pass(false);
  } else {
    turns_.begin();
    turns_.count_waiting(static_cast<int>(held_.size()));
  }
  const bool has_sent = send_held();
  take_in();
  look_for_deaths();
  look_for_ends();
  return deliver() || has_sent;
}

}  // namespace

std::unique_ptr<Engine> open_turn_engine(Sink& sink, const EngineOptions& /*options*/) {
  ARMATURE_ASSERT(Turns::of_process() != nullptr);
  return std::make_unique<TurnEngine>(sink, *Turns::of_process());
}

}  // namespace armature::transport::sim

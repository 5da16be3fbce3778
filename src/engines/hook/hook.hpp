#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"
#include "base/random.hpp"
#include "engines/engine.hpp"
#include "engines/hook/card.hpp"
#include "engines/hook/engine_around.hpp"
#include "engines/hook/forger.hpp"

// An engine around another one, for tests and for finding out what happens: it counts packets,
// writes down each, and does to them what a bad network does. What is above it cannot tell. A peer
// that is dropped is so in the engine inside, which sends it nothing of what is held back.

namespace armature::transport {

/// The actions of a hook. Written as words with commas between: `count`, `trace=FILE`, `delay=US`,
/// `reorder=SEED`, `lose=PEER@PACKETS`, `refuse=PEER`, `forge=SEED`, `card=SEED`,
/// `rough-card=SEED`, `prompt-card=SEED`.
struct HookOptions {
  bool count = false;            // says at the end how much went to whom
  std::string trace;             // a line for every packet goes to this file and ".PID"; "": none
  std::uint64_t delay_us = 0;    // before a packet is sent
  std::uint64_t reorder = 0;     // a seed: up to as much again, differently for each; 0: in order
  int lose = -1;                 // this peer cannot be reached any more
  std::uint64_t lose_after = 0;  // when so many packets have been sent to it
  int refuse = -1;               // connecting to this peer fails
  std::uint64_t forge = 0;       // a seed: sends packets that nobody has meant, too; 0: none
  CardOptions card;              // one-sided operations are done by a thread that plays a card

  /// Throws Error(start) that says what is wrong with the text.
  [[nodiscard]] static HookOptions parse(const std::string& text);
};

/// Packets on their way through a network that is slow, and may reorder them.
class DelayedPackets {
 public:
  /// The memory of a packet stays where it is: Hook::send() has said that it is still needed.
  struct Packet {
    int peer;
    std::span<const std::byte> head, body;
    std::uint64_t token;
  };

  explicit DelayedPackets(const HookOptions& options);
  /// Makes descriptor() readable when `inner` is, and when a packet is due. So a thread that sleeps
  /// on it wakes up for both. Throws Error(start).
  void watch_clock(int inner);
  [[nodiscard]] int descriptor() const { return either_ ? either_.get() : inner_; }

  void add(const Packet& packet);
  /// f(packet) for those that are due; whether there were some.
  template <class F>
  bool take_due(F f) {
    bool any = false;
    while (const std::optional<Packet> due = take_one()) {
      f(*due);
      any = true;
    }
    if (any) set_timer();
    return any;
  }

 private:
  [[nodiscard]] std::uint64_t due_ns();
  [[nodiscard]] std::optional<Packet> take_one();
  void set_timer();

  std::uint64_t delay_ns_;
  bool reorders_;
  base::Random random_;
  int inner_ = -1;
  base::FileDescriptor timer_, either_;        // the next packet; it or the engine
  std::multimap<std::uint64_t, Packet> held_;  // by when they are due; of equals, in order
};

class Hook final : public EngineAround, private Sink {
 public:
  using Open = std::function<std::unique_ptr<Engine>(Sink& sink)>;
  struct Count {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
  };

  /// `open` opens the engine inside, which reports to the sink that it is given.
  Hook(Sink& sink, const HookOptions& options, const Open& open);
  ~Hook() override;

  [[nodiscard]] const char* description() const override { return description_.c_str(); }
  [[nodiscard]] const char* connect(int peer, std::span<const std::byte> address) override;
  [[nodiscard]] bool send(int peer, std::span<const std::byte> head,
                          std::span<const std::byte> body, std::uint64_t token) override;
  [[nodiscard]] bool send_parts(int peer, std::span<const std::byte> head, Parts body,
                                std::uint64_t token) override;
  bool progress() override;
  [[nodiscard]] int descriptor() const override {
    return options_.delay_us != 0 ? delayed_.descriptor() : EngineAround::descriptor();
  }

  [[nodiscard]] Count sent_to(int peer) const;
  [[nodiscard]] Count came() const { return came_; }

 private:
  void received(std::span<const std::byte> head, std::span<const std::byte> body) override;
  void sent(std::uint64_t token) override {
    if (!forger_.let_go(token)) sink_.sent(token);
  }
  [[nodiscard]] bool send_now(int peer, std::span<const std::byte> head,
                              std::span<const std::byte> body, std::uint64_t token);
  void lost(int peer, const char* why) override { sink_.lost(peer, why); }
  void trace(const char* what, int peer, std::size_t bytes) const;

  Sink& sink_;
  HookOptions options_;
  Forger forger_;  // the engine may let go of what is the forger's as it ends
  std::string description_;
  base::FileDescriptor trace_;
  DelayedPackets delayed_;
  std::map<int, Count> sent_;
  Count came_;
  bool has_lost_ = false;
};

}  // namespace armature::transport

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"
#include "engines/engine.hpp"
#include "engines/ofi/buffers.hpp"
#include "engines/ofi/dying.hpp"
#include "engines/ofi/fabric.hpp"
#include "engines/ofi/fragments.hpp"
#include "engines/ofi/life_lines.hpp"

// The engine over libfabric, by messages of reliable endpoints (fi_endpoint(3), FI_EP_RDM). What is
// sent is copied into buffers of the engine, a bounded number for each peer; what finds no buffer
// waits where it lies. So a peer can be given up at any time: libfabric has nothing of the caller.

namespace armature::transport {

/// One other process.
struct OfiPeer {
  /// A packet that is not yet, or not wholly, in buffers.
  struct Waiting {
    std::span<const std::byte> head, body;
    Engine::Parts parts;  // of the body, where it lies in several places
    std::uint64_t token;
    std::size_t bytes;  // head and body
    std::size_t done = 0;
    std::size_t parts_done = 0, done_of_part = 0;  // of the body

    [[nodiscard]] std::span<const std::byte> part() const {
      return (parts.empty() ? body : parts[parts_done]).subspan(done_of_part);
    }
    /// Copies the next bytes.
    void take(std::span<std::byte> to);
  };

  explicit OfiPeer(int is) : number(is) {}
  int number;
  fi_addr_t address = FI_ADDR_UNSPEC;
  bool lost = false;
  bool is_held_up = false;  // libfabric takes nothing for it at the moment
  std::size_t under_way = 0;
  std::deque<Waiting> waiting;
};

class Ofi final : public Engine {
 public:
  explicit Ofi(Sink& sink) : sink_(sink) { parts_max = 256; }
  Ofi(const Ofi&) = delete;
  Ofi& operator=(const Ofi&) = delete;
  ~Ofi() override;

  /// Returns an error text, or "".
  [[nodiscard]] std::string open(const EngineOptions& options);

  [[nodiscard]] const char* description() const override { return fabric_.description(); }
  [[nodiscard]] std::span<const std::byte> address() const override { return address_; }
  [[nodiscard]] const char* connect(int peer, std::span<const std::byte> address) override;
  [[nodiscard]] bool send(int peer, std::span<const std::byte> head,
                          std::span<const std::byte> body, std::uint64_t token) override;
  [[nodiscard]] bool send_parts(int peer, std::span<const std::byte> head, Parts body,
                                std::uint64_t token) override;
  void drop(int peer) override;
  bool progress() override;
  [[nodiscard]] int descriptor() const override { return either_.get(); }
  [[nodiscard]] bool arm() override;
  [[nodiscard]] std::vector<Transport> transports(int) const override {
    return fabric_.transports();
  }

 private:
  static constexpr std::size_t receiving = 32;      // buffers that wait for messages
  static constexpr std::size_t under_way_max = 16;  // messages to one peer
  static constexpr std::size_t segment = std::size_t{256} * 1024;
  static constexpr int rounds_max = 16;
  static constexpr unsigned unlooked_max = 32;  // until it is looked for deaths
  static constexpr std::uint64_t retry_ns = 1'000'000;

  std::string open_descriptor();
  void drain();
  void receive_into(OfiBuffer& buffer);
  [[nodiscard]] bool take_completions();
  void complete(OfiBuffer& buffer, std::size_t bytes);
  void take_error();
  [[nodiscard]] bool send_packet(OfiPeer& to, OfiPeer::Waiting packet);
  [[nodiscard]] bool send_fragment(OfiPeer& to, OfiPeer::Waiting& packet);
  [[nodiscard]] bool push(OfiPeer& to);
  void look_for_deaths(bool is_idle);
  void lose(OfiPeer& peer, const char* why);
  void let_go(OfiPeer& peer);
  void wake_in(std::uint64_t ns);
  void wake_within(std::uint64_t ns);

  Sink& sink_;
  OfiFabric fabric_;
  OfiBuffers buffers_{fabric_};
  Fragments fragments_;
  LifeLines lives_;
  std::vector<std::byte> address_;
  std::uint64_t number_ = 0;  // of this process, in fragments
  std::vector<std::unique_ptr<OfiPeer>> peers_;
  std::vector<std::unique_ptr<OfiPeer>>
      former_;                         // peers that came again: messages may be under way
  std::vector<OfiBuffer*> unposted_;   // that could not be made to receive
  std::vector<std::uint64_t> let_go_;  // tokens to be reported
  Dying dying_;                        // peers that are to be reported as lost
  unsigned unlooked_ = 0;  // calls of progress(), of which those that found nothing count more
  bool is_closing_ = false;
  bool wakes_ = false;  // the timer is set, or has expired since arm()
  std::string problem_;
  base::FileDescriptor timer_, either_;  // it, or completions
};

}  // namespace armature::transport

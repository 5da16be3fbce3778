#pragma once

#include <cstddef>
#include <cstdint>
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
#include "engines/ofi/peer.hpp"
#include "engines/ofi/remote_memory.hpp"
#include "engines/ofi/transfers.hpp"
#include "engines/ofi/wake_timer.hpp"

// The engine over libfabric, by messages of reliable endpoints (fi_endpoint(3), FI_EP_RDM). What is
// sent is copied into buffers of the engine, a bounded number for each peer; what finds no buffer
// waits where it lies. So a peer can be given up at any time: libfabric has nothing of the caller.
// One-sided operations are another matter: libfabric has the caller's memory until it tells of the
// end.

namespace armature::transport {

/// The part of the engine that has to do with what libfabric offers, and with memory which is
/// registered with it.
class OfiMemoryEngine : public Engine {
 public:
  [[nodiscard]] const char* description() const override { return fabric_.description(); }
  [[nodiscard]] std::vector<Transport> transports(int /*peer*/) const override {
    return fabric_.transports();
  }
  [[nodiscard]] bool is_one_sided() const override { return fabric_.is_one_sided(); }
  [[nodiscard]] bool pins_memory() const override {
    return fabric_.is_one_sided() && fabric_.has_card();
  }
  [[nodiscard]] std::vector<std::byte> register_memory(std::span<std::byte> memory) override {
    return memory_.register_here(memory);
  }
  void unregister_memory(std::span<std::byte> memory) override { memory_.unregister(memory); }
  [[nodiscard]] void* unpack_rkey(int /*peer*/, std::span<const std::byte> packed) override {
    return const_cast<OfiKey*>(memory_.take_key(packed));
  }
  void forget_rkey(void* rkey) override { memory_.forget_key(rkey); }
  void forget_memory() override { memory_.forget_all(); }

 protected:
  OfiFabric fabric_;
  OfiRemoteMemory memory_{fabric_};
};

class Ofi final : public OfiMemoryEngine {
 public:
  explicit Ofi(Sink& sink) : sink_(sink) { parts_max = 256; }
  Ofi(const Ofi&) = delete;
  Ofi& operator=(const Ofi&) = delete;
  ~Ofi() override;

  /// Returns an error text, or "".
  [[nodiscard]] std::string open(const EngineOptions& options);

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
  [[nodiscard]] bool put(int peer, void* rkey, Runs runs, std::uint64_t token) override {
    return transfer(peer, true, rkey, runs, token);
  }
  [[nodiscard]] bool get(int peer, void* rkey, Runs runs, std::uint64_t token) override {
    return transfer(peer, false, rkey, runs, token);
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
  void complete(OfiOperation& operation, std::size_t bytes);
  void take_error();
  [[nodiscard]] bool transfer(int peer, bool is_put, void* rkey, Runs runs, std::uint64_t token);
  [[nodiscard]] bool begin_transfer(OfiPeer& with, OfiTransfer& transfer);
  [[nodiscard]] bool send_packet(OfiPeer& to, OfiPeer::Waiting packet);
  [[nodiscard]] bool send_fragment(OfiPeer& to, OfiPeer::Waiting& packet);
  [[nodiscard]] bool push(OfiPeer& to);
  void look_for_deaths(bool is_idle);
  void lose(OfiPeer& peer, const char* why);
  void let_go(OfiPeer& peer);

  Sink& sink_;
  OfiBuffers buffers_{fabric_};
  OfiTransfers transfers_{fabric_};
  Fragments fragments_;
  LifeLines lives_;
  std::vector<std::byte> address_;
  std::uint64_t number_ = 0;  // of this process, in fragments
  std::vector<std::unique_ptr<OfiPeer>> peers_;
  std::vector<std::unique_ptr<OfiPeer>>
      former_;                         // peers that came again: messages may be under way
  std::vector<OfiBuffer*> unposted_;   // that could not be made to receive
  std::vector<OfiTransfer*> made_;     // of the runs that are handed over at the moment
  std::vector<std::uint64_t> let_go_;  // tokens to be reported
  Dying dying_;                        // peers that are to be reported as lost
  unsigned unlooked_ = 0;  // calls of progress(), of which those that found nothing count more
  bool is_closing_ = false;
  std::string problem_;
  WakeTimer timer_;
  base::FileDescriptor either_;  // the timer's, or that of completions
};

}  // namespace armature::transport

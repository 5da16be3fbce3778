#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engines/engine.hpp"
#include "harness/peer.hpp"

namespace armature::harness {

/// An engine without a network, behind which there is the one peer.
class PeerEngine final : public transport::Engine {
 public:
  explicit PeerEngine(transport::Sink& sink) : sink_(sink), peer_(*Peer::the_one) {}

  [[nodiscard]] const char* description() const override { return "nothing"; }
  [[nodiscard]] std::span<const std::byte> address() const override { return {}; }
  [[nodiscard]] const char* connect(int, std::span<const std::byte>) override { return nullptr; }
  [[nodiscard]] bool send(int, std::span<const std::byte> head, std::span<const std::byte> body,
                          std::uint64_t token) override;
  [[nodiscard]] bool send_parts(int peer, std::span<const std::byte> head, Parts body,
                                std::uint64_t token) override;
  void drop(int) override { ++peer_.drops; }
  bool progress() override;
  [[nodiscard]] int descriptor() const override { return peer_.event.descriptor(); }
  [[nodiscard]] bool arm() override;

  [[nodiscard]] bool is_one_sided() const override { return peer_.one_sided.is_offered; }
  [[nodiscard]] Bytes register_memory(std::span<std::byte> memory) override;
  void unregister_memory(std::span<std::byte> memory) override;
  void forget_rkey(void*) override { ++peer_.one_sided.keys_forgotten; }
  [[nodiscard]] void* unpack_rkey(int, std::span<const std::byte> packed) override {
    return packed.empty() ? nullptr : &peer_;
  }
  [[nodiscard]] bool put(int, void*, Runs runs, std::uint64_t token) override;
  [[nodiscard]] bool get(int, void*, Runs runs, std::uint64_t token) override;

 private:
  /// The packet's records, without what was lent behind the last.
  void see(const Bytes& packet, std::size_t end);

  transport::Sink& sink_;
  Peer& peer_;
};

}  // namespace armature::harness

#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engines/engine.hpp"

namespace armature::transport {

/// An engine around another one, which does all that this one does not do itself.
class EngineAround : public Engine {
 public:
  [[nodiscard]] const char* description() const override { return inner_->description(); }
  [[nodiscard]] std::span<const std::byte> address() const override { return inner_->address(); }
  [[nodiscard]] const char* connect(int peer, std::span<const std::byte> address) override {
    return inner_->connect(peer, address);
  }
  [[nodiscard]] bool send(int peer, std::span<const std::byte> head,
                          std::span<const std::byte> body, std::uint64_t token) override {
    return inner_->send(peer, head, body, token);
  }
  [[nodiscard]] bool send_parts(int peer, std::span<const std::byte> head, Parts body,
                                std::uint64_t token) override {
    return inner_->send_parts(peer, head, body, token);
  }
  void drop(int peer) override { inner_->drop(peer); }
  bool progress() override { return inner_->progress(); }
  [[nodiscard]] int descriptor() const override { return inner_->descriptor(); }
  [[nodiscard]] bool arm() override { return inner_->arm(); }
  [[nodiscard]] std::vector<Transport> transports(int peer) const override {
    return inner_->transports(peer);
  }

  [[nodiscard]] bool is_one_sided() const override { return inner_->is_one_sided(); }
  [[nodiscard]] bool pins_memory() const override { return inner_->pins_memory(); }
  [[nodiscard]] std::vector<std::byte> register_memory(std::span<std::byte> memory) override {
    return inner_->register_memory(memory);
  }
  void unregister_memory(std::span<std::byte> memory) override {
    inner_->unregister_memory(memory);
  }
  void forget_rkey(void* rkey) override { inner_->forget_rkey(rkey); }
  [[nodiscard]] void* unpack_rkey(int peer, std::span<const std::byte> packed) override {
    return inner_->unpack_rkey(peer, packed);
  }
  [[nodiscard]] bool put(int peer, void* rkey, Runs runs, std::uint64_t token) override {
    return inner_->put(peer, rkey, runs, token);
  }
  [[nodiscard]] bool get(int peer, void* rkey, Runs runs, std::uint64_t token) override {
    return inner_->get(peer, rkey, runs, token);
  }
  void forget_memory() override { inner_->forget_memory(); }
  [[nodiscard]] bool needs_no_target() const override { return inner_->needs_no_target(); }
  [[nodiscard]] bool has_words() const override { return inner_->has_words(); }
  [[nodiscard]] bool has_atomics() const override { return inner_->has_atomics(); }
  void atomic(int peer, void* rkey, std::uint64_t address, const WordAtomic& what,
              std::uint64_t& found, std::uint64_t token) override {
    inner_->atomic(peer, rkey, address, what, found, token);
  }

 protected:
  /// Before anything else; nullptr ends the one that there is, before what it may report to.
  void surround(std::unique_ptr<Engine> inner) {
    inner_ = std::move(inner);
    parts_max = inner_ != nullptr ? inner_->parts_max : 0;
  }
  [[nodiscard]] Engine& inner() { return *inner_; }

 private:
  std::unique_ptr<Engine> inner_;
};

}  // namespace armature::transport

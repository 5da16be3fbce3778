#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"
#include "engines/engine.hpp"
#include "engines/hook/card_thread.hpp"
#include "engines/hook/engine_around.hpp"
#include "engines/hook/registrations.hpp"

// An engine around another one, for tests: packets travel by that one, and one-sided operations by
// a thread of the initiator that plays the network's card. It maps the target's memory file, so the
// target does nothing for them: it may compute, or be stopped. Processes must be on one machine.

namespace armature::transport {

/// How a card is played.
struct CardOptions {
  std::uint64_t seed = 0;  // of what it does late and in another order; 0: there is none
  bool is_rough = false;   // its atomics are none for the target's processors
  bool is_prompt = false;  // tells of what is done at once, for measuring
  bool counts = false;     // says at the end how much it has done
};

class Card final : public EngineAround {
 public:
  /// Throws Error(start).
  Card(Sink& sink, const CardOptions& options, std::unique_ptr<Engine> inner);
  ~Card() override;

  [[nodiscard]] const char* description() const override { return description_.c_str(); }
  bool progress() override;
  [[nodiscard]] int descriptor() const override { return either_.get(); }
  [[nodiscard]] bool arm() override { return !thread_.has_done() && EngineAround::arm(); }

  [[nodiscard]] bool is_one_sided() const override { return true; }
  [[nodiscard]] bool pins_memory() const override { return false; }
  [[nodiscard]] std::vector<std::byte> register_memory(std::span<std::byte> memory) override {
    return registrations_.add(memory);
  }
  void unregister_memory(std::span<std::byte> memory) override { registrations_.remove(memory); }
  void forget_rkey(void* rkey) override;
  [[nodiscard]] void* unpack_rkey(int peer, std::span<const std::byte> packed) override;
  [[nodiscard]] bool put(int /*peer*/, void* rkey, Runs runs, std::uint64_t token) override {
    return begin(CardThread::Operation::What::put, rkey, runs, token);
  }
  [[nodiscard]] bool get(int /*peer*/, void* rkey, Runs runs, std::uint64_t token) override {
    return begin(CardThread::Operation::What::get, rkey, runs, token);
  }
  void forget_memory() override;
  [[nodiscard]] bool needs_no_target() const override { return true; }
  [[nodiscard]] bool has_words() const override { return true; }
  [[nodiscard]] bool has_atomics() const override { return !options_.is_rough; }
  void atomic(int peer, void* rkey, std::uint64_t address, const WordAtomic& what,
              std::uint64_t& found, std::uint64_t token) override;

 private:
  using Operation = CardThread::Operation;
  /// One operation for each run, which are carried out in any order.
  bool begin(Operation::What what, void* rkey, Runs runs, std::uint64_t token);
  void begin(const Operation& operation) {
    ++begun_;
    thread_.begin(operation);
  }

  Sink& sink_;
  std::string description_;
  CardOptions options_;
  std::uint64_t begun_ = 0;                     // operations
  Registrations registrations_;                 // of this process
  PeerRegistrations others_;                    // the tables of peers
  std::vector<std::unique_ptr<Window>> known_;  // their memory, mapped here
  base::FileDescriptor either_;                 // readable when this or the inner engine is
  CardThread thread_;                           // the last: it uses what is above
};

}  // namespace armature::transport

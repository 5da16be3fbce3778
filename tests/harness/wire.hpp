#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bootstrap/exchange.hpp"
#include "engines/engine.hpp"
#include "harness/event.hpp"

// Two processes in one: what is between them, and the engine and the exchange by which each uses
// it.

namespace armature::harness {

/// Seen by both processes of each other. Any thread.
struct Wire {
  using Bytes = std::vector<std::byte>;
  struct Packet {
    Bytes head, body;
  };
  std::mutex mutex;
  std::array<std::deque<Packet>, 2> incoming;
  std::array<Event, 2> events;
  std::size_t packets = 0;
  /// Sees each packet and the process that it goes to, under the mutex; whether it arrives.
  std::function<bool(std::size_t to, const Packet& packet)> passes;
  /// Whether the engines register memory. They have no operations on it.
  bool registers_memory = false;
  // Values that they tell each other before.
  std::condition_variable change;
  std::map<std::pair<int, std::string>, Bytes> values;
  std::size_t arrived = 0;
};

/// The end that is this runtime's.
struct WireEnd {
  Wire* wire = nullptr;
  std::size_t process = 0;
};

class WireEngine final : public transport::Engine {
 public:
  WireEngine(transport::Sink& sink, WireEnd end) : sink_(sink), end_(end) {}

  [[nodiscard]] const char* description() const override { return "copies"; }
  [[nodiscard]] std::span<const std::byte> address() const override { return {}; }
  [[nodiscard]] const char* connect(int, std::span<const std::byte>) override { return nullptr; }
  [[nodiscard]] bool send(int peer, std::span<const std::byte> head,
                          std::span<const std::byte> body, std::uint64_t) override;
  void drop(int) override {}
  bool progress() override;
  [[nodiscard]] int descriptor() const override { return mine().descriptor(); }
  [[nodiscard]] bool arm() override;
  [[nodiscard]] Wire::Bytes register_memory(std::span<std::byte> /*memory*/) override {
    return end_.wire->registers_memory ? Wire::Bytes(8, std::byte{1}) : Wire::Bytes();
  }

 private:
  [[nodiscard]] const Event& mine() const { return end_.wire->events[end_.process]; }

  transport::Sink& sink_;
  WireEnd end_;
};

class WireExchange final : public bootstrap::Exchange {
 public:
  explicit WireExchange(WireEnd end) : end_(end) {}
  [[nodiscard]] int process() const override { return static_cast<int>(end_.process); }
  [[nodiscard]] int processes() const override { return 2; }
  void put(std::string_view key, std::span<const std::byte> value) override;

 protected:
  [[nodiscard]] Wire::Bytes look_up(int process, std::string_view key) override;
  void wait_for_all(std::chrono::milliseconds patience) override;

 private:
  WireEnd end_;
};

}  // namespace armature::harness

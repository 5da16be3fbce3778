// The card of the tests as a program uses it by itself: src/engines/hook, without anything of ours
// around it. A thread of the process that puts and gets moves the bytes.
#include "engines/hook/card.hpp"

#include <sched.h>
#include <time.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "bench/native.hpp"

namespace armature::bench {
namespace {

using transport::Card;
using transport::Engine;

/// No packets are sent: memory is all that the two processes share.
class NoPackets final : public Engine {
 public:
  [[nodiscard]] const char* description() const override { return "none"; }
  [[nodiscard]] std::span<const std::byte> address() const override { return {}; }
  [[nodiscard]] const char* connect(int, std::span<const std::byte>) override { return nullptr; }
  [[nodiscard]] bool send(int, std::span<const std::byte>, std::span<const std::byte>,
                          std::uint64_t) override {
    return true;
  }
  void drop(int) override {}
  bool progress() override { return false; }
  [[nodiscard]] int descriptor() const override { return -1; }
  [[nodiscard]] bool arm() override { return true; }
};

class Done final : public transport::Sink {
 public:
  void received(std::span<const std::byte>, std::span<const std::byte>) override {}
  void sent(std::uint64_t) override { ++count; }
  void lost(int, const char*) override {}
  int count = 0;
};

class NativeCard final : public Native {
 public:
  explicit NativeCard(std::span<std::byte> memory) : memory_(memory) {
    const std::vector<std::byte> key = card_.register_memory(memory);
    const auto first = reinterpret_cast<std::uint64_t>(memory.data());
    address_.resize(sizeof first);
    std::memcpy(address_.data(), &first, sizeof first);
    address_.insert(address_.end(), key.begin(), key.end());
  }

  [[nodiscard]] std::span<const std::byte> address() const override { return address_; }
  [[nodiscard]] const char* connect(std::span<const std::byte> other) override {
    std::memcpy(&there_, other.data(), sizeof there_);
    key_ = card_.unpack_rkey(1, other.subspan(sizeof there_));
    return key_ != nullptr ? nullptr : "the card cannot reach the other's memory";
  }
  void put(std::size_t offset, const void* from, std::size_t bytes, int count) override {
    auto* at = static_cast<std::byte*>(const_cast<void*>(from));  // it only reads there
    for (int i = 0; i < count; ++i, at += bytes, offset += bytes) {
      const transport::Engine::Run run{there_ + offset, at, bytes};
      (void)card_.put(1, key_, {&run, 1}, 0);
    }
    finish(count);
  }
  void get(void* to, std::size_t offset, std::size_t bytes, int count) override {
    auto* at = static_cast<std::byte*>(to);
    for (int i = 0; i < count; ++i, at += bytes, offset += bytes) {
      const transport::Engine::Run run{there_ + offset, at, bytes};
      (void)card_.get(1, key_, {&run, 1}, 0);
    }
    finish(count);
  }
  /// The other's last word says so.
  void release() override {
    const std::uint64_t word = 1;
    put(memory_.size() - sizeof word, &word, sizeof word, 1);
  }
  void answer() override {
    constexpr timespec a_while{.tv_sec = 0, .tv_nsec = 1'000'000};
    std::atomic_ref word(
        *reinterpret_cast<std::uint64_t*>(memory_.data() + memory_.size() - sizeof(std::uint64_t)));
    while (word.load(std::memory_order_acquire) == 0) (void)nanosleep(&a_while, nullptr);
  }

 private:
  void finish(int count) {
    for (done_.count = 0; done_.count < count;)
      if (!card_.progress()) sched_yield();
  }

  std::span<std::byte> memory_;
  std::vector<std::byte> address_;
  Done done_;
  Card card_{done_, {.seed = 1, .is_prompt = true}, std::make_unique<NoPackets>()};
  void* key_ = nullptr;
  std::uint64_t there_ = 0;
};

}  // namespace
}  // namespace armature::bench

extern "C" armature::bench::Native* armature_open_native(std::span<std::byte> memory, char* problem,
                                                         std::size_t problem_bytes) {
  try {
    return new armature::bench::NativeCard(memory);
  } catch (const std::exception& error) {
    std::snprintf(problem, problem_bytes, "%s", error.what());
    return nullptr;
  }
}

#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <concepts>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/runtime.hpp"
#include "net/network.hpp"
#include "space/job_memory.hpp"
#include "space/layout.hpp"
#include "space/mapping.hpp"
#include "transport/services_here.hpp"
#include "wait/thread_call.hpp"
#include "wait/wait.hpp"
#include "world/job.hpp"
#include "world/services.hpp"

// Unit tests of two processes that know nothing of each other but what comes over the network: a
// job of two nodes with a process of one rank each. Both are threads of the test's process, each
// with a runtime of its own: its own mapping, network, tables and teams. Between them is an engine
// that copies.

namespace armature::two_processes {

using Bytes = std::vector<std::byte>;

/// Seen by both processes of each other. Any thread.
struct Wire {
  struct Packet {
    Bytes head, body;
  };
  std::mutex mutex;
  std::array<std::deque<Packet>, 2> incoming;
  std::array<int, 2> events = {eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
                               eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::size_t packets = 0;
  // Values that they tell each other before.
  std::condition_variable change;
  std::map<std::pair<int, std::string>, Bytes> values;
  std::size_t arrived = 0;

  ~Wire() {
    for (const int event : events) close(event);
  }
};

/// The end that is this runtime's.
struct WireEnd {
  Wire* wire = nullptr;
  std::size_t process = 0;
};

class CopyingEngine final : public transport::Engine {
 public:
  explicit CopyingEngine(transport::Sink& sink) : sink_(sink), end_(base::state<WireEnd>()) {}

  [[nodiscard]] const char* description() const override { return "copies"; }
  [[nodiscard]] std::span<const std::byte> address() const override { return {}; }
  [[nodiscard]] const char* connect(int, std::span<const std::byte>) override { return nullptr; }
  [[nodiscard]] bool send(int peer, std::span<const std::byte> head,
                          std::span<const std::byte> body, std::uint64_t) override {
    const std::lock_guard locked(end_.wire->mutex);
    ++end_.wire->packets;
    end_.wire->incoming[static_cast<std::size_t>(peer)].push_back(
        {{head.begin(), head.end()}, {body.begin(), body.end()}});
    const std::uint64_t one = 1;
    (void)!write(end_.wire->events[static_cast<std::size_t>(peer)], &one, sizeof one);
    return true;
  }
  void drop(int) override {}
  bool progress() override {
    std::deque<Wire::Packet> packets;
    {
      const std::lock_guard locked(end_.wire->mutex);
      packets.swap(end_.wire->incoming[end_.process]);
      std::uint64_t count = 0;
      (void)!read(descriptor(), &count, sizeof count);
    }
    for (const auto& [head, body] : packets) sink_.received(head, body);
    return !packets.empty();
  }
  [[nodiscard]] int descriptor() const override { return end_.wire->events[end_.process]; }
  [[nodiscard]] bool arm() override {
    const std::lock_guard locked(end_.wire->mutex);
    return end_.wire->incoming[end_.process].empty();
  }

 private:
  transport::Sink& sink_;
  WireEnd end_;
};

class WireExchange final : public bootstrap::Exchange {
 public:
  explicit WireExchange(WireEnd end) : end_(end) {}
  [[nodiscard]] int process() const override { return static_cast<int>(end_.process); }
  [[nodiscard]] int processes() const override { return 2; }
  void put(std::string_view key, std::span<const std::byte> value) override {
    const std::lock_guard locked(end_.wire->mutex);
    end_.wire->values[{process(), std::string(key)}] = {value.begin(), value.end()};
  }
  [[nodiscard]] Bytes get(int process, std::string_view key) override {
    const std::lock_guard locked(end_.wire->mutex);
    return end_.wire->values[{process, std::string(key)}];
  }

 protected:
  void wait_for_all(std::chrono::milliseconds patience) override {
    std::unique_lock locked(end_.wire->mutex);
    const std::size_t all = end_.wire->arrived++ / 2 * 2 + 2;
    end_.wire->change.notify_all();
    if (!end_.wire->change.wait_for(locked, patience, [&] { return end_.wire->arrived >= all; }))
      throw Error(Errc::start, "the other process does not come");
  }

 private:
  WireEnd end_;
};

/// Runs body(world) as the rank of each process, and returns when both have left: how many packets
/// have gone between them. Throws what one of them has thrown.
template <std::invocable<World&> Body>
std::size_t run(Body body) {
  Wire wire;
  const auto live = [&](std::size_t process) {
    base::Runtime runtime;
    const base::UseRuntime used(runtime);
    base::state<WireEnd>() = {&wire, process};
    const auto number = static_cast<int>(process);
    constexpr std::uint64_t band_bytes = std::uint64_t{1} << 30;
    // Two nodes have the same address twice, one process does not: each has the job elsewhere.
    space::JobMemory memory = space::JobMemory::create(
        {.ranks = 2,
         .band_base = space::default_base + space::default_room / 2 + process * 4 * band_bytes,
         .band_bytes = band_bytes,
         .node_of_rank = {0, 1},
         .node = number});
    const space::TemporaryMapping mapping(space::map_control(memory.control.get()),
                                          {memory.bands[0].get(), memory.bands[1].get()});
    wait::start_waiting(mapping.mapping().header());
    space::AddressSpace space(mapping.mapping(), Rank(number),
                              space::AddressSpace::BandFile{memory.bands[process].get()});
    WireExchange exchange({&wire, process});
    net::NetworkOptions options;
    options.open = [](transport::Sink& sink, const transport::EngineOptions&) {
      return std::unique_ptr<transport::Engine>(new CopyingEngine(sink));
    };
    hosting::list_services();
    options.services = transport::services_here();
    net::Network::join(mapping.mapping(), {&space}, exchange, options);
    {
      Job job(space);
      body(job.world());
      job.leave();
    }
    wait::ThreadCall::end_all();
    net::Network::leave();
  };
  std::array<std::exception_ptr, 2> problems;
  const auto live_or_fail = [&](std::size_t process) {
    try {
      live(process);
    } catch (...) {
      problems[process] = std::current_exception();
    }
  };
  std::thread other(live_or_fail, 1), first(live_or_fail, 0);
  first.join();
  other.join();
  for (const std::exception_ptr& problem : problems)
    if (problem) std::rethrow_exception(problem);
  return wire.packets;
}

}  // namespace armature::two_processes

#include "harness/wire.hpp"

#include <utility>

#include "armature/error.hpp"

namespace armature::harness {

bool WireEngine::send(int peer, std::span<const std::byte> head, std::span<const std::byte> body,
                      std::uint64_t) {
  const auto other = static_cast<std::size_t>(peer);
  const std::lock_guard locked(end_.wire->mutex);
  ++end_.wire->packets;
  Wire::Packet packet{{head.begin(), head.end()}, {body.begin(), body.end()}};
  if (end_.wire->passes && !end_.wire->passes(other, packet)) return true;
  end_.wire->incoming[other].push_back(std::move(packet));
  end_.wire->events[other].signal();
  return true;
}

bool WireEngine::progress() {
  std::deque<Wire::Packet> packets;
  {
    const std::lock_guard locked(end_.wire->mutex);
    packets.swap(end_.wire->incoming[end_.process]);
    mine().clear();
  }
  for (const auto& [head, body] : packets) sink_.received(head, body);
  return !packets.empty();
}

bool WireEngine::arm() {
  const std::lock_guard locked(end_.wire->mutex);
  return end_.wire->incoming[end_.process].empty();
}

void WireExchange::put(std::string_view key, std::span<const std::byte> value) {
  const std::lock_guard locked(end_.wire->mutex);
  end_.wire->values[{process(), std::string(key)}] = {value.begin(), value.end()};
}

Wire::Bytes WireExchange::look_up(int process, std::string_view key) {
  const std::lock_guard locked(end_.wire->mutex);
  return end_.wire->values[{process, std::string(key)}];
}

void WireExchange::wait_for_all(std::chrono::milliseconds patience) {
  std::unique_lock locked(end_.wire->mutex);
  const std::size_t all = end_.wire->arrived++ / 2 * 2 + 2;
  end_.wire->change.notify_all();
  if (!end_.wire->change.wait_for(locked, patience, [&] { return end_.wire->arrived >= all; }))
    throw Error(Errc::start, "the other process does not come");
}

}  // namespace armature::harness

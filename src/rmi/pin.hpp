#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "transport/channel.hpp"

namespace armature::rmi {

/// A request that a method looks into; lives on the stack of the receiver while that method runs.
class Pin {
 public:
  /// `top` is the receiver's list of pins of this channel. `units` 0: there is nothing to pin, the
  /// arguments lie in a block.
  Pin(Pin*& top, transport::Channel& channel, std::uint64_t position, std::uint16_t units)
      : top_(top), below_(top), channel_(channel), what_(position / 16 << 16 | units) {
    if (units != 0) top_ = this;
  }
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;
  ~Pin() {
    top_ = below_;
    if (slot_ == nullptr) return;
    // Release, both: the sender may now write here.
    slot_->store(0, std::memory_order_release);
    channel_.pins.store(channel_.pins.load(std::memory_order_relaxed) - 1,
                        std::memory_order_release);
  }

  /// Tells the sender of all these requests; false when there are too many.
  [[nodiscard]] static bool tell(Pin* top) {
    for (Pin* pin = top; pin != nullptr; pin = pin->below_)
      if (pin->slot_ == nullptr && !pin->tell_one()) return false;
    return true;
  }

 private:
  bool tell_one() {
    for (auto& slot : channel_.pinned) {
      if (slot.load(std::memory_order_relaxed) != 0) continue;
      slot.store(what_, std::memory_order_relaxed);
      channel_.pins.store(channel_.pins.load(std::memory_order_relaxed) + 1,
                          std::memory_order_relaxed);
      slot_ = &slot;
      return true;
    }
    return false;
  }

  Pin*& top_;
  Pin* const below_;
  transport::Channel& channel_;
  const std::uint64_t what_;
  std::atomic<std::uint64_t>* slot_ = nullptr;
};

/// The first pinned request from a place in the ring on, for the sender.
struct NextPin {
  std::uint64_t distance = UINT64_MAX;  // from that place
  std::uint64_t bytes = 0;

  NextPin(const transport::Channel& channel, std::uint64_t offset) {
    // Acquire, both: where one is gone, its last look came before.
    if (channel.pins.load(std::memory_order_acquire) == 0) return;
    for (const auto& slot : channel.pinned) {
      const std::uint64_t what = slot.load(std::memory_order_acquire);
      const std::uint64_t at = (what >> 16) * 16 & (channel.capacity - 1);
      if (what == 0 || at < offset || at - offset >= distance) continue;
      distance = at - offset;
      bytes = (what & 0xffff) * 16;
    }
  }
};

}  // namespace armature::rmi

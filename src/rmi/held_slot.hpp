#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "transport/channel.hpp"

namespace armature::rmi {

/// A slot of a channel's ring that is held while a method runs, as that looks into its request.
/// Lives on the receiver's stack. The channel calls such a request pinned (transport/channel.hpp).
class HeldSlot {
 public:
  /// `top` is the receiver's list of held slots of this channel. `units` 0: there is nothing to
  /// hold, the arguments lie in a block.
  HeldSlot(HeldSlot*& top, transport::Channel& channel, std::uint64_t position, std::uint16_t units)
      : top_(top), below_(top), channel_(channel), what_(position / 16 << 16 | units) {
    if (units != 0) top_ = this;
  }
  HeldSlot(const HeldSlot&) = delete;
  HeldSlot& operator=(const HeldSlot&) = delete;
  ~HeldSlot() {
    top_ = below_;
    if (slot_ == nullptr) return;
    // Release, both: the sender may now write here.
    slot_->store(0, std::memory_order_release);
    channel_.pins.store(channel_.pins.load(std::memory_order_relaxed) - 1,
                        std::memory_order_release);
  }

  /// Tells the sender of all these requests; false when there are too many.
  [[nodiscard]] static bool tell(HeldSlot* top) {
    for (HeldSlot* held = top; held != nullptr; held = held->below_)
      if (held->slot_ == nullptr && !held->tell_one()) return false;
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

  HeldSlot*& top_;
  HeldSlot* const below_;
  transport::Channel& channel_;
  const std::uint64_t what_;
  std::atomic<std::uint64_t>* slot_ = nullptr;
};

/// The first held slot from a position in the ring on, for the sender.
struct NextHeldSlot {
  std::uint64_t distance = UINT64_MAX;  // from that position
  std::uint64_t bytes = 0;

  NextHeldSlot(const transport::Channel& channel, std::uint64_t offset) {
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

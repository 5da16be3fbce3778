#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>

#include "message/announcement.hpp"
#include "message/requests.hpp"
#include "space/address_space.hpp"

// Long copies are made without the lock of the rank's messages: others of its threads send and
// receive meanwhile. Whoever has found that something is to be copied does it, once it has given
// the lock back.

namespace armature::message {

/// The place of the bytes of a message: a receive's, or that of a message that no receive has got;
/// or none.
struct Target {
  Cursor into;
  ReceiveRequest* receive = nullptr;
  Arrival* arrival = nullptr;
  Came came;
  std::uint64_t asked_ns = 0;  // when, where the kernel might have copied; else 0

  /// Whether it is the place of that request.
  [[nodiscard]] bool is_of(const ReceiveRequest& request) const {
    return receive == &request || (arrival != nullptr && arrival->receiver == &request);
  }
  void drop();
};

/// How many bytes of messages came to a rank in which way.
struct Counts {
  std::atomic<std::uint64_t> copied{0};      // once, from the sender's memory
  std::atomic<std::uint64_t> by_kernel{0};   // the same, by the kernel
  std::atomic<std::uint64_t> in_rings{0};    // the second copy
  std::atomic<std::uint64_t> in_records{0};  // from another node, straight to their place
  std::atomic<std::uint64_t> kept{0};        // from own memory: no receive had matched in time
};

/// A copy to be made.
struct Copying {
  enum class From { announcement, kernel, arrival };

  Target target;
  From from = From::announcement;
  int source = -1;
  Announcement* announcement = nullptr;
  std::unique_ptr<Arrival> arrival;  // whose bytes it is
  bool has_begun = false;
  std::uint64_t took_ns = 0;  // by the kernel

  /// Makes it. False where the kernel does not let the memory be read.
  [[nodiscard]] bool make(const space::AddressSpace& space, Counts& counts);
};

/// Copies from memory of another process; whether all could be read.
[[nodiscard]] bool copy_by_kernel(int process_id, std::span<const iovec> from, Cursor into);

}  // namespace armature::message

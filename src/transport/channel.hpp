#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

// Requests from one rank to another of its node: a ring in the sender's segment, written in place
// by the sender alone and read in place by the receiver alone, so that neither needs a lock,
// nothing is copied, and the death of one leaves the other with a consistent ring.
//
// Invariants: consumed <= published <= consumed + capacity, all multiples of the request unit;
// bytes [consumed, published) are the receiver's, the rest the sender's. A request never wraps: a
// filler ends the lap. `published` is released after the bytes, `consumed` after the last look at
// them.
//
// A method that waits may look into its request for long, while requests behind it are executed. So
// that this does not stop the sender, `consumed` goes on past the request, which is pinned: the
// sender leaves its bytes as they are, but for the head, where it writes a filler of that length.

namespace armature::transport {

struct Channel {
  static constexpr std::uint64_t expected_magic = 0x4c4e'4843'414d'5241;
  static constexpr std::size_t capacity_min = 32 * 1024;
  static constexpr std::size_t capacity_max = 1024 * 1024;

  std::uint64_t magic = expected_magic;
  std::uint64_t capacity = 0;  // a power of two
  // By whoever carries it to another node: of the sender's, bytes sent; of the proxy there, how far
  // the sender has been told that it is read, and whether of pins.
  std::atomic<std::uint64_t> carried{0};
  std::atomic<std::uint32_t> pins_told{0};
  alignas(64) std::atomic<std::uint64_t> published{0};
  alignas(64) std::atomic<std::uint64_t> consumed{0};
  std::atomic<std::uint64_t> pins{0};  // how many of these are not 0; by the receiver
  static constexpr std::size_t pins_max = 16;
  // A position in units of 16 bytes, and below it the length in units. Set before `consumed` is
  // released past the request, cleared, with release, after the last look at it.
  alignas(64) std::atomic<std::uint64_t> pinned[pins_max]{};

  [[nodiscard]] std::byte* at(std::uint64_t position) {
    return reinterpret_cast<std::byte*>(this + 1) + (position & (capacity - 1));
  }
};
static_assert(sizeof(Channel) == 320);

}  // namespace armature::transport

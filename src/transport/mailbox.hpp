#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

// A one-way stream of bytes from one rank to another of the same node: a ring in the sender's band,
// written by the sender alone and read by the receiver alone, so that neither needs a lock and the
// death of one leaves the other with a consistent ring. Opened when the first message is sent.
//
// Invariants: read <= written <= read + capacity; bytes [read, written) are the receiver's, the
// rest the sender's. `written` is released after the bytes, `read` after they have been taken out.

namespace armature::transport {

class Ring {
 public:
  static constexpr std::size_t capacity = 64 * 1024;

  /// Copies as much as fits; returns how much.
  std::size_t write(const std::byte* from, std::size_t bytes);
  /// Takes out as much as there is, up to `bytes`; returns how much.
  std::size_t read(std::byte* to, std::size_t bytes);
  /// How many bytes there are to read. Throws nothing, but is 0 when the other side's word makes no
  /// sense.
  [[nodiscard]] std::size_t readable() const;
  [[nodiscard]] std::size_t writable() const;

  /// For whoever carries the ring to another node.
  [[nodiscard]] std::byte* bytes() { return bytes_; }
  [[nodiscard]] std::atomic<std::uint64_t>& written() { return written_; }
  [[nodiscard]] std::atomic<std::uint64_t>& read_so_far() { return read_; }
  /// Bytes sent; of the image there, how far the sender has been told that it is read.
  [[nodiscard]] std::atomic<std::uint64_t>& carried() { return carried_; }

 private:
  alignas(64) std::atomic<std::uint64_t> written_{0};
  alignas(64) std::atomic<std::uint64_t> read_{0};
  std::atomic<std::uint64_t> carried_{0};
  alignas(64) std::byte bytes_[capacity];
};

/// What stands before each message in a ring.
struct Envelope {
  static constexpr std::uint32_t expected_magic = 0x4e56'4541;

  std::uint32_t magic = expected_magic;
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
};
static_assert(sizeof(Envelope) == 16);

}  // namespace armature::transport

#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

// A one-way stream of bytes from one rank to another of the same node: a ring in the sender's
// segment, written by the sender alone and read by the receiver alone, so that neither needs a lock
// and the death of one leaves the other with a consistent ring. Opened when the first message is
// sent.
//
// The bytes travel in chunks. A chunk begins at a cache line with its head: its length, and the lap
// of the ring that it is of. So the reader finds out in the line that holds the first bytes that
// there is something: a short message costs both sides one line.
//
// Invariants: read <= written <= read + capacity, multiples of a line; lines [read, written) are
// the receiver's, the others the sender's. The first word of the line at `written` is no head of
// that lap: the sender makes it 0 before it publishes the chunk that ends there, or it is the head
// of the chunk one lap before, where that has not been read. The sender stores a chunk's head last,
// with release; the reader loads it with acquire, and stores `read` with release. The reader never
// writes to the lines: who answers a message would have to get them back first.
//
// Of a ring on another node the reader has a proxy, where bytes may come in any order below
// `written`: there the reader looks at that first.

namespace armature::transport {

class Ring {
 public:
  static constexpr std::size_t capacity = 64 * 1024;
  static constexpr std::size_t line = 64;

  Ring() { head_at(0).store(0, std::memory_order_relaxed); }

  /// The place of the next chunk, of that many bytes, to be written there and then published;
  /// nullptr: there is no room for it, or not in one piece.
  [[nodiscard]] std::byte* place_for(std::size_t bytes) {
    const std::size_t at = (written_.load(std::memory_order_relaxed) + head_bytes) % capacity;
    return at + bytes <= capacity && has_room(lines_of_chunk(bytes)) ? bytes_ + at : nullptr;
  }
  /// The chunk is written: the reader sees it.
  void publish(std::size_t bytes) {
    const std::uint64_t position = written_.load(std::memory_order_relaxed);
    const std::uint64_t end = position + lines_of_chunk(bytes) * line;
    if (cleared_ != end) clear(end);
    // Release, both: the reader, and who carries the ring, read the bytes after they have seen
    // this.
    head_at(position).store(head_of(position, bytes), std::memory_order_release);
    written_.store(end, std::memory_order_release);
    clear(end + line);
  }
  /// One chunk of both, one behind the other; or nothing, where there is no room for it. Whether it
  /// did.
  [[nodiscard]] bool write_whole(std::span<const std::byte> first,
                                 std::span<const std::byte> second);
  /// One chunk of as many bytes as there is room for, and at most a quarter of the ring, so that
  /// the reader takes one out while the next is written; returns how many.
  std::size_t write(std::span<const std::byte> data);

  /// The bytes that are left of the chunk that is to be read next; 0: there is none yet.
  [[nodiscard]] std::size_t readable() const {
    const std::uint64_t position = read_.load(std::memory_order_relaxed);
    if (is_proxy_ && written_.load(std::memory_order_acquire) == position) return 0;
    // A word that is no head of this lap looks longer than any head.
    const std::uint64_t bytes = load_head(position) ^ head_of(position, 0);
    return bytes <= capacity - head_bytes ? bytes - std::min(bytes, taken_) : 0;
  }
  /// Those of its bytes that lie in one place.
  [[nodiscard]] std::span<const std::byte> front() const {
    const std::size_t at = (read_.load(std::memory_order_relaxed) + head_bytes + taken_) % capacity;
    return {bytes_ + at, std::min(readable(), capacity - at)};
  }
  /// Takes out the chunk, of which that many bytes are left.
  void take_all(std::size_t left) { end_chunk(taken_ + left); }
  /// Takes out as much of that chunk as it has left, up to `bytes`; returns how much.
  std::size_t read(std::byte* to, std::size_t bytes);
  /// Takes out as read() does, and drops it.
  std::size_t skip(std::size_t bytes) { return read(nullptr, bytes); }
  /// Whether all that is in it has been read, as far as the counters tell.
  [[nodiscard]] bool is_empty() const {
    return written_.load(std::memory_order_acquire) == read_.load(std::memory_order_relaxed);
  }

  /// For whoever carries the ring to another node.
  [[nodiscard]] std::byte* bytes() { return bytes_; }
  [[nodiscard]] std::atomic<std::uint64_t>& written() { return written_; }
  [[nodiscard]] std::atomic<std::uint64_t>& read_so_far() { return read_; }
  /// Bytes sent; of the proxy there, how far the sender has been told that it is read.
  [[nodiscard]] std::atomic<std::uint64_t>& carried() { return carried_; }
  /// From now on this is a proxy.
  void become_proxy() { is_proxy_ = true; }

 private:
  using Head = std::uint64_t;
  static constexpr std::size_t head_bytes = sizeof(Head);  // at the begin of a chunk
  static constexpr unsigned lap_shift = 32;                // above the length

  /// Laps count from 1 on: no head is 0.
  static constexpr Head head_of(std::uint64_t position, std::size_t bytes) {
    return (position / capacity + 1) << lap_shift | bytes;
  }
  static constexpr std::size_t lines_of_chunk(std::size_t bytes) {
    return (head_bytes + bytes + line - 1) / line;
  }
  // Release: what is there has been copied.
  void end_chunk(std::size_t bytes) {
    taken_ = 0;
    read_.store(read_.load(std::memory_order_relaxed) + lines_of_chunk(bytes) * line,
                std::memory_order_release);
  }
  bool has_room(std::size_t lines) {
    const std::uint64_t end = written_.load(std::memory_order_relaxed) + lines * line;
    if (end - known_read_ <= capacity) [[likely]]
      return true;
    // Acquire: the reader has taken out what was there.
    known_read_ = read_.load(std::memory_order_acquire);
    return end - known_read_ <= capacity;
  }
  void put(std::uint64_t position, std::span<const std::byte> data);
  /// There is no chunk at `position` yet. Where the ring is full the line there is the reader's.
  void clear(std::uint64_t position) {
    if (position - known_read_ >= capacity) return;
    head_at(position).store(0, std::memory_order_relaxed);
    cleared_ = position;
  }
  [[nodiscard]] std::atomic<Head>& head_at(std::uint64_t position) {
    return *reinterpret_cast<std::atomic<Head>*>(bytes_ + position % capacity);
  }
  [[nodiscard]] Head load_head(std::uint64_t position) const {
    return const_cast<Ring*>(this)->head_at(position).load(std::memory_order_acquire);
  }

  alignas(64) std::atomic<std::uint64_t> written_{0};
  // The writer's: `read` was so far when it looked last; there is no chunk there.
  std::uint64_t known_read_ = 0;
  std::uint64_t cleared_ = 0;
  alignas(64) std::atomic<std::uint64_t> read_{0};
  std::uint64_t taken_ = 0;  // the reader's: of the chunk at `read`
  std::atomic<std::uint64_t> carried_{0};
  bool is_proxy_ = false;
  alignas(64) std::byte bytes_[capacity];
};

}  // namespace armature::transport

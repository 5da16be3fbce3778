#pragma once

#include <cstddef>
#include <deque>
#include <memory>

namespace armature::rmi {

/// Requests that a method has sent and that found no room: a method never waits for room, as the
/// rank it sends to may be waiting for this very method. Kept in the rank's own memory, in order,
/// and moved to the channel as room appears.
class Overflow {
 public:
  static constexpr std::size_t chunk_bytes = 64 * 1024;

  /// False from the first room() on, until all that was added has been popped.
  [[nodiscard]] bool empty() const { return chunks_.empty(); }
  void clear() {
    chunks_.clear();
    bytes_ = 0;
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  /// Room for that many bytes at the end; at most chunk_bytes.
  [[nodiscard]] std::byte* room(std::size_t bytes);
  [[nodiscard]] std::byte* room_end() const { return chunks_.back().memory.get() + chunk_bytes; }
  /// Adds what was written from room() on.
  void add(std::size_t bytes);

  /// The oldest bytes that are still here; whole requests.
  [[nodiscard]] const std::byte* front() const {
    return chunks_.front().memory.get() + chunks_.front().read;
  }
  [[nodiscard]] std::size_t front_bytes() const {
    return chunks_.front().written - chunks_.front().read;
  }
  void pop(std::size_t bytes);

 private:
  struct Chunk {
    std::unique_ptr<std::byte[]> memory;
    std::size_t written = 0;
    std::size_t read = 0;
  };
  std::deque<Chunk> chunks_;
  std::size_t bytes_ = 0;
};

}  // namespace armature::rmi

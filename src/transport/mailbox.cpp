#include "transport/mailbox.hpp"

#include <algorithm>
#include <cstring>

namespace armature::transport {

std::size_t Ring::readable() const {
  const std::uint64_t there =
      written_.load(std::memory_order_acquire) - read_.load(std::memory_order_relaxed);
  return there <= capacity ? there : 0;
}

std::size_t Ring::writable() const {
  const std::uint64_t there =
      written_.load(std::memory_order_relaxed) - read_.load(std::memory_order_acquire);
  return there <= capacity ? capacity - there : 0;
}

std::size_t Ring::write(const std::byte* from, std::size_t bytes) {
  bytes = std::min(bytes, writable());
  if (bytes == 0) return 0;  // from may be null
  const std::uint64_t position = written_.load(std::memory_order_relaxed);
  const std::size_t at = position % capacity;
  const std::size_t first = std::min(bytes, capacity - at);
  std::memcpy(bytes_ + at, from, first);
  std::memcpy(bytes_, from + first, bytes - first);
  written_.store(position + bytes, std::memory_order_release);
  return bytes;
}

std::size_t Ring::read(std::byte* to, std::size_t bytes) {
  bytes = std::min(bytes, readable());
  if (bytes == 0) return 0;  // to may be null
  const std::uint64_t position = read_.load(std::memory_order_relaxed);
  const std::size_t at = position % capacity;
  const std::size_t first = std::min(bytes, capacity - at);
  std::memcpy(to, bytes_ + at, first);
  std::memcpy(to + first, bytes_, bytes - first);
  read_.store(position + bytes, std::memory_order_release);
  return bytes;
}

}  // namespace armature::transport

#include "transport/mailbox.hpp"

#include <algorithm>
#include <cstring>

namespace armature::transport {
namespace {

constexpr std::size_t least_room = 4 * Ring::line;  // for a part of what is to be written

/// Envelopes and words without a call.
inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t word = 8, envelope = 32;
  if (bytes == envelope)
    std::memcpy(to, from, envelope);
  else if (bytes == word)
    std::memcpy(to, from, word);
  else
    std::memcpy(to, from, bytes);
}

}  // namespace

void Ring::put(std::uint64_t position, std::span<const std::byte> data) {
  if (data.empty()) return;  // its address may be null
  const std::size_t at = position % capacity;
  const std::size_t first = std::min(data.size(), capacity - at);
  copy_bytes(bytes_ + at, data.data(), first);
  if (first < data.size()) std::memcpy(bytes_, data.data() + first, data.size() - first);
}

bool Ring::write_whole(std::span<const std::byte> first, std::span<const std::byte> second) {
  const std::size_t bytes = first.size() + second.size();
  if (bytes == 0 || !has_room(lines_of_chunk(bytes))) return false;
  const std::uint64_t position = written_.load(std::memory_order_relaxed) + head_bytes;
  put(position, first);
  put(position + first.size(), second);
  publish(bytes);
  return true;
}

std::size_t Ring::write(std::span<const std::byte> data) {
  if (data.empty()) return 0;
  data = data.first(std::min(data.size(), capacity / 4 - head_bytes));
  if (!has_room(lines_of_chunk(data.size()))) {
    const std::uint64_t there = capacity - (written_.load(std::memory_order_relaxed) - known_read_);
    if (there < least_room || there > capacity) return 0;
    data = data.first(std::min(data.size(), static_cast<std::size_t>(there) - head_bytes));
  }
  put(written_.load(std::memory_order_relaxed) + head_bytes, data);
  publish(data.size());
  return data.size();
}

std::size_t Ring::read(std::byte* to, std::size_t bytes) {
  const std::size_t left = readable();
  bytes = std::min(bytes, left);
  if (bytes == 0) return 0;  // to may be null
  const std::uint64_t position = read_.load(std::memory_order_relaxed);
  if (to != nullptr) {
    const std::size_t at = (position + head_bytes + taken_) % capacity;
    const std::size_t first = std::min(bytes, capacity - at);
    copy_bytes(to, bytes_ + at, first);
    if (first < bytes) std::memcpy(to + first, bytes_, bytes - first);
  }
  taken_ += bytes;
  if (bytes < left) return bytes;
  end_chunk(taken_);
  return bytes;
}

}  // namespace armature::transport

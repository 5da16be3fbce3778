#include "rmi/overflow.hpp"

#include "base/fail.hpp"

namespace armature::rmi {

std::byte* Overflow::room(std::size_t bytes) {
  ARMATURE_ASSERT(bytes <= chunk_bytes);
  if (chunks_.empty() || chunks_.back().written + bytes > chunk_bytes)
    chunks_.push_back({std::make_unique_for_overwrite<std::byte[]>(chunk_bytes), 0, 0});
  return chunks_.back().memory.get() + chunks_.back().written;
}

void Overflow::add(std::size_t bytes) {
  chunks_.back().written += bytes;
  bytes_ += bytes;
  ARMATURE_ASSERT(chunks_.back().written <= chunk_bytes);
}

void Overflow::pop(std::size_t bytes) {
  Chunk& chunk = chunks_.front();
  chunk.read += bytes;
  bytes_ -= bytes;
  if (chunk.read == chunk.written && chunks_.size() > 1) chunks_.pop_front();
  if (bytes_ == 0) chunks_.clear();
}

}  // namespace armature::rmi

#pragma once

#include <cstddef>
#include <cstdint>

namespace armature::space {

/// Pages of a virtual rank that were mapped once and are free again: zeros, without memory. In the
/// rank's segment with all its state. One caller at a time.
class RankPages {
 public:
  /// nullptr when there is no row of so many.
  [[nodiscard]] std::byte* take(std::size_t bytes, std::size_t alignment);
  /// Their memory goes back to the system. What is free already stays so.
  void give(std::byte* begin, std::byte* end);
  /// Whether give() has room for what it has to note; else it must be given some first.
  [[nodiscard]] bool has_room() const { return count_ + 1 < room_; }
  [[nodiscard]] std::size_t room_bytes() const { return room_ * sizeof(Span); }
  void give_room(std::byte* begin, std::size_t bytes);

 private:
  struct Span {
    std::byte* begin;
    std::byte* end;
  };
  void insert(Span span);

  Span* spans_ = nullptr;  // by address, with something in between
  std::size_t count_ = 0, room_ = 0;
};

}  // namespace armature::space

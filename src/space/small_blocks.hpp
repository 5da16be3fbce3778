#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "space/pages.hpp"

namespace armature::space {

/// Small blocks of a segment's heap that were freed, by size: the next allocation of about that
/// size takes the last one. Sizes are multiples of 64 up to 512, then four to each power of two. A
/// free block's first word is the address of the one below it. Under the lock of the heap.
class SmallBlocks {
 public:
  /// Larger ones give their pages back when freed.
  static constexpr std::size_t bytes_max = page_wise_min - 1;

  static constexpr std::size_t kind_of(std::size_t bytes) {
    if (bytes <= fine_max) return (bytes - 1) / fine_step;
    const std::size_t last = bytes - 1;
    const auto power = static_cast<std::size_t>(std::bit_width(last)) - 1;
    return fine_kinds + (power - fine_power) * 4 + ((last >> (power - 2)) & 3);
  }
  static constexpr std::size_t bytes_of(std::size_t kind) { return sizes[kind]; }

  /// The one to be taken first; nullptr when there is none, or it is not aligned like that.
  [[nodiscard]] void* first(std::size_t kind, std::size_t alignment) const {
    Free* const first = free_[kind];
    return (reinterpret_cast<std::uintptr_t>(first) & (alignment - 1)) == 0 ? first : nullptr;
  }
  void take_first(std::size_t kind) {
    free_[kind] = free_[kind]->below;
    bytes_ -= bytes_of(kind);
  }
  [[nodiscard]] void* take(std::size_t kind, std::size_t alignment) {
    void* const block = first(kind, alignment);
    if (block != nullptr) take_first(kind);
    return block;
  }
  /// False when there are enough.
  [[nodiscard]] bool put(std::size_t kind, void* block) {
    if (bytes_ + bytes_of(kind) > kept_max) return false;
    bytes_ += bytes_of(kind);
    auto* const free = static_cast<Free*>(block);
    free->below = free_[kind];
    free_[kind] = free;
    return true;
  }
  /// One of any size; nullptr when there is none.
  [[nodiscard]] void* take_any() {
    for (std::size_t kind = 0; bytes_ > 0 && kind < kinds; ++kind)
      if (void* const block = take(kind, 1)) return block;
    return nullptr;
  }

 private:
  struct Free {
    Free* below;
  };
  static constexpr std::size_t fine_step = 64, fine_kinds = 8, fine_max = fine_step * fine_kinds;
  static constexpr std::size_t fine_power = 9;
  static constexpr std::size_t kinds = fine_kinds + (17 - fine_power) * 4;
  // To give one back to the heap would not give back its pages, either.
  static constexpr std::size_t kept_max = std::size_t{16} << 20;
  static_assert(fine_max == 1 << fine_power && page_wise_min == 1 << 17);
  static constexpr auto sizes = [] {
    std::array<std::size_t, kinds> all{};
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      const std::size_t coarse = kind - fine_kinds;
      all[kind] = kind < fine_kinds ? (kind + 1) * fine_step
                                    : (coarse % 4 + 5) << (coarse / 4 + fine_power - 2);
    }
    return all;
  }();

  std::array<Free*, kinds> free_{};
  std::size_t bytes_ = 0;
};

}  // namespace armature::space

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "space/address_space.hpp"

namespace armature::rmi {

/// Arguments and results that are too long for a ring. They lie in their sender's segment and are
/// read there by the receiver, who then marks the block as done. Done blocks are freed when the
/// next one is wanted, and while waiting.
class Blocks {
 public:
  /// A block's head: first the word by which the receiver marks it as done.
  static constexpr std::size_t head_bytes = 64;
  /// How much may wait for its receivers before a sender waits itself.
  static constexpr std::size_t bytes_max = 64 << 20;

  explicit Blocks(space::AddressSpace& space) : space_(space) {}

  /// Memory for that many bytes for that rank to read, aligned to 64. Throws Error(out_of_memory)
  /// naming the call.
  [[nodiscard]] std::byte* take(int reader, std::size_t bytes, const char* call);
  [[nodiscard]] bool is_full(std::size_t bytes) const {
    return bytes_ > 0 && bytes_ + bytes > bytes_max;
  }
  [[nodiscard]] std::size_t excess() const { return bytes_ > bytes_max ? bytes_ - bytes_max : 0; }
  /// Frees done blocks, those of dead readers too.
  void free_done();
  /// Called by the receiver: the bytes are not needed any more.
  static void mark_done(std::byte* block);
  /// Takes a block that is in nobody's list, in the own segment: for what comes from another node.
  /// nullptr when there is no memory, or all are about to go back. Taken as a door;
  /// give_back_block() frees it.
  [[nodiscard]] static std::byte* take_loose(space::AddressSpace& space, std::size_t bytes);
  [[nodiscard]] static bool free_if_loose(space::AddressSpace& space, std::byte* block);
  /// Whether a block may begin there and have so many bytes, all in the memory of that rank.
  [[nodiscard]] static bool may_be(const space::AddressSpace& space, const std::byte* block,
                                   std::uint64_t bytes, int writer);

 private:
  struct Head {
    std::atomic<std::uint64_t> done{0};  // release by the receiver: its reads come before
    std::uint64_t bytes = 0;
    std::int32_t reader = -1;
    std::uint32_t loose = 0;
    std::byte pad[40];
  };
  static_assert(sizeof(Head) == head_bytes);

  space::AddressSpace& space_;
  std::vector<Head*> waiting_;
  std::size_t bytes_ = 0;
};

}  // namespace armature::rmi

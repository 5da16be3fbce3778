#pragma once

#include <sys/uio.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "space/address_space.hpp"

namespace armature::message {

/// Tells a receiver of the same node where a long message lies.
struct Announcement {
  static constexpr std::size_t pieces_here = 6;

  std::atomic<std::uint32_t> is_taken{0};  // by the receiver, who has copied
  std::uint32_t pieces = 0;
  const iovec* list = nullptr;  // of more pieces than there is room for here
  std::uint64_t offer = 0;      // by which it is asked for where the kernel does not let it be read
  std::array<iovec, pieces_here> here{};

  [[nodiscard]] std::span<const iovec> data() const {
    return {list != nullptr ? list : here.data(), pieces};
  }
};

/// A rank's announcements, in its segment. Used again and again, and never given back: a receiver
/// may look at one until it says that it has taken the message.
class Announcements {
 public:
  explicit Announcements(space::AddressSpace& space) : space_(space) {}

  /// Announces those bytes to that rank; nullptr where it cannot read them, or there is no memory.
  Announcement* make(int to, std::span<const iovec> pieces);
  /// Announces bytes that the rank can read if its kernel lets it; nullptr where it is on another
  /// node, or may be in another process by then.
  Announcement* make_for_kernel(int to, std::span<const iovec> pieces, std::uint64_t offer);
  void give_back(Announcement& announcement) { free_.push_back(&announcement); }

 private:
  [[nodiscard]] bool can_read(int to, const void* address, std::size_t bytes) const;
  Announcement* find_free();
  Announcement* fill(std::span<const iovec> pieces, std::uint64_t offer);

  space::AddressSpace& space_;
  std::vector<Announcement*> free_;
};

}  // namespace armature::message

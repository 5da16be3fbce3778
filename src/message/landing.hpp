#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "message/cursor.hpp"
#include "space/address_space.hpp"

// A landing takes the bytes of a long message from another node. They go straight from the packets
// to their place, by whatever thread of the node polls the network for the rank. So it lies in the
// rank's segment, and so does all that it names: the rank may be in another process than that
// thread.
//
// A thread that brings bytes says that it is busy, and only then looks whether the landing is still
// of that message. The rank that gives it up changes the number, and then waits until nobody is
// busy. All four are sequentially consistent, so at least one sees the other.

namespace armature::message {

struct Landing {
  static constexpr std::uint32_t expected_magic = 0x4c41'4e44;

  std::uint32_t magic = expected_magic;
  std::atomic<std::uint32_t> number{0};  // of the message; 0: of none
  std::atomic<std::uint32_t> is_busy{0};
  std::atomic<std::uint32_t> is_over{0};  // release: the bytes are there
  std::uint64_t bytes = 0;                // of the message
  std::uint64_t came = 0;                 // so far
  Cursor into;
};

/// A rank's landings. Used again and again, and never given back to the segment.
class Landings {
 public:
  explicit Landings(space::AddressSpace& space) : space_(space) {}

  /// Makes a landing for a message of so many bytes that come from that rank, of which those go to
  /// `into` for which there is room. nullptr where they cannot come so, or there is no memory.
  Landing* make(int from, std::size_t bytes, const Cursor& into);
  /// Gives back a landing that is over, or not wanted any more.
  void give_back(Landing& landing);

 private:
  [[nodiscard]] bool can_be_written(const Cursor& into) const;

  space::AddressSpace& space_;
  std::vector<Landing*> free_;
  std::uint32_t numbers_ = 0;
};

}  // namespace armature::message

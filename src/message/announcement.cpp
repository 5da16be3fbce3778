#include "message/announcement.hpp"

#include <algorithm>
#include <new>

#include "image/copies.hpp"

namespace armature::message {
namespace {

constexpr std::size_t made_at_once = 16;

}  // namespace

/// Ranks of a node have each other's segments mapped, and threads of a process have all its memory.
/// A virtual rank may go to another process before the message is taken. The code and constants of
/// its own copy of the program are not mapped where it does not run.
bool Announcements::can_read(int to, const void* address, std::size_t bytes) const {
  if (bytes == 0) return true;
  const Rank owner = space_.owner(address);
  if (owner != Rank::none() && space_.is_here(owner))
    return space_.owner(static_cast<const std::byte*>(address) + bytes - 1) == owner &&
           !image::is_text_of_copy(address, bytes);
  const space::ControlHeader& job = space_.header();
  return job.ranks_are_virtual == 0 &&
         space_.slot(to).process.load(std::memory_order_relaxed) ==
             space_.slot(space_.me()).process.load(std::memory_order_relaxed);
}

Announcement* Announcements::find_free() {
  if (free_.empty()) {
    space::AddressSpace::Failure failure;
    void* const memory = space_.allocate(made_at_once * sizeof(Announcement), alignof(Announcement),
                                         space::Allocation::Kind::internal, failure);
    if (memory == nullptr) return nullptr;
    free_.reserve(free_.size() + made_at_once);
    auto* const all = static_cast<Announcement*>(memory);
    for (std::size_t i = made_at_once; i-- > 0;) free_.push_back(new (all + i) Announcement);
  }
  Announcement* const found = free_.back();
  free_.pop_back();
  return found;
}

Announcement* Announcements::fill(std::span<const iovec> pieces, std::uint64_t offer) {
  Announcement* const made = find_free();
  if (made == nullptr) return nullptr;
  const bool is_short = pieces.size() <= Announcement::pieces_here;
  made->is_taken.store(0, std::memory_order_relaxed);
  made->pieces = static_cast<std::uint32_t>(pieces.size());
  made->list = is_short ? nullptr : pieces.data();
  made->offer = offer;
  if (is_short) std::ranges::copy(pieces, made->here.begin());
  return made;
}

Announcement* Announcements::make(int to, std::span<const iovec> pieces) {
  if (!space_.is_here(to)) return nullptr;
  if (pieces.size() > Announcement::pieces_here &&
      !can_read(to, pieces.data(), pieces.size_bytes()))
    return nullptr;
  for (const iovec& piece : pieces)
    if (!can_read(to, piece.iov_base, piece.iov_len)) return nullptr;
  return fill(pieces, 0);
}

Announcement* Announcements::make_for_kernel(int to, std::span<const iovec> pieces,
                                             std::uint64_t offer) {
  if (!space_.is_here(to) || space_.header().ranks_are_virtual != 0 ||
      pieces.size() > Announcement::pieces_here)
    return nullptr;
  return fill(pieces, offer);
}

}  // namespace armature::message

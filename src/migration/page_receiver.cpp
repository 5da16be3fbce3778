#include "migration/page_receiver.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/clock.hpp"
#include "migration/page_cache.hpp"
#include "space/copy_pages.hpp"

namespace armature::migration {
namespace {

constexpr std::uint64_t huge_bytes = std::uint64_t{2} << 20;
// Since Linux 6.1, newer than the C library's headers. Other than a huge page on first touch it is
// not subject to what /sys/kernel/mm/transparent_hugepage says of shared memory, mostly "never".
constexpr int advice_collapse = 25;
// Making a huge page takes 0.1 ms, and 512 small ones as long as this. It takes several ms where
// the kernel has to move others' pages for it, or a hypervisor to find memory. So much may be lost.
constexpr std::int64_t small_ns = 400'000, loss_ns_max = 5'000'000;

}  // namespace

void PageReceiver::empty(int rank, const Stretch& hole) const {
  const std::uint64_t segment = begin_of(mapping_, rank);
  space::empty_pages(file_, std::max(segment + hole.begin, behind_head(mapping_, rank).begin),
                     segment + hole.end);
}

bool PageReceiver::write(int rank, const Stretch& touched, std::span<const std::byte> bytes) {
  const std::uint64_t segment = begin_of(mapping_, rank);
  const Stretch piece{segment + touched.begin, segment + touched.begin + bytes.size()};
  const bool is_there = left_ != nullptr && left_->has(piece);
  if (left_ != nullptr && !is_there) make_huge_pages(piece, segment + touched.end);
  if (is_there || (huge_.begin <= piece.begin && piece.end <= huge_.end)) {
    std::memcpy(mapping_.segment(rank) + touched.begin, bytes.data(), bytes.size());
    return true;
  }
  errno = 0;
  // Pages that do not exist yet need neither be cleared nor mapped for it.
  return pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(piece.begin)) ==
         static_cast<ssize_t>(bytes.size());
}

/// Makes the huge pages that begin in this piece of a stretch that ends there.
void PageReceiver::make_huge_pages(const Stretch& piece, std::uint64_t end) {
  for (std::uint64_t at = (piece.begin + huge_bytes - 1) / huge_bytes * huge_bytes;
       at < piece.end && at + huge_bytes <= end && loss_ns_ < loss_ns_max; at += huge_bytes) {
    const std::uint64_t since_ns = base::now_ns();
    if (!make_huge_page(at)) {
      loss_ns_ = loss_ns_max;
      return;
    }
    loss_ns_ += static_cast<std::int64_t>(base::now_ns() - since_ns) - small_ns;
    huge_ = {huge_.end == at ? huge_.begin : at, at + huge_bytes};
  }
}

/// Makes a huge page of a small one and holes behind it.
bool PageReceiver::make_huge_page(std::uint64_t at) const {
  constexpr char nothing = 0;
  return pwrite(file_, &nothing, sizeof nothing, static_cast<off_t>(at)) == sizeof nothing &&
         madvise(mapping_.segment(0) + at, huge_bytes, advice_collapse) == 0;
}

}  // namespace armature::migration

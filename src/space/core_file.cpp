// Segments are left out of core files (mapping.cpp): the kernel would write all their pages, and
// make those that are not there, until the disk or the machine is full. A rank that dies puts in
// what is used of its own: allocated memory by the list, and of virtual ranks, whose stacks and
// heaps of malloc lie there too, the pages that exist. Called in signal handlers: no locks, no
// memory.
#include "space/core_file.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "space/pages.hpp"

namespace armature::space {
namespace {

/// Joins what is near each other: each area that differs from its neighbours is one of the 65,530
/// that a process may have.
class Areas {
 public:
  Areas(std::uintptr_t begin, std::uintptr_t end)
      : low_(begin), high_(end), near_(std::max<std::uintptr_t>(64 * 1024, (end - begin) >> 13)) {}
  void add(std::uintptr_t begin, std::uintptr_t end) {
    begin = std::max(page_below(begin), low_);
    end = std::min(page_above(end), high_);
    if (begin >= end) return;
    if (begin > end_ + near_ || begin < begin_) {
      flush();
      begin_ = begin;
    }
    end_ = end;
  }
  void flush() {
    if (begin_ < end_) (void)madvise(reinterpret_cast<void*>(begin_), end_ - begin_, MADV_DODUMP);
    begin_ = end_ = 0;
  }

 private:
  std::uintptr_t low_, high_, near_, begin_ = 0, end_ = 0;
};

}  // namespace

void put_into_core(const Mapping& mapping, int rank, int file) {
  const auto begin = reinterpret_cast<std::uintptr_t>(mapping.segment(rank));
  const std::uint64_t used = mapping.heap_offset() + mapping.extent(rank);
  Areas allocated(begin, begin + std::max<std::uint64_t>(used, page_bytes));
  const Allocations& list = mapping.allocations(rank);
  for (std::size_t i = 0; const auto one = list.entry(i); ++i)
    if (one->kind != static_cast<std::uint64_t>(Allocation::Kind::gap))
      allocated.add(one->begin, one->begin + one->bytes);
  allocated.flush();
  struct stat status {};
  const auto all = static_cast<std::uint64_t>(mapping.ranks()) * mapping.segment_bytes();
  // The program may have closed our file, and opened one of its own by that number.
  if (file < 0 || fstat(file, &status) != 0 || static_cast<std::uint64_t>(status.st_size) < all)
    return;
  const auto first = static_cast<off_t>(static_cast<std::uint64_t>(rank) * mapping.segment_bytes());
  const off_t last = first + static_cast<off_t>(mapping.segment_bytes());
  Areas there(begin, begin + mapping.segment_bytes());
  for (off_t at = first; at < last;) {
    const off_t data = lseek(file, at, SEEK_DATA);
    if (data < 0 || data >= last) break;
    at = lseek(file, data, SEEK_HOLE);
    if (at <= data) break;
    there.add(begin + static_cast<std::uintptr_t>(data - first),
              begin + static_cast<std::uintptr_t>(std::min(at, last) - first));
  }
  there.flush();
}

}  // namespace armature::space

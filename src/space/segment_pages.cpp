#include "space/segment_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/file_descriptor.hpp"
#include "base/runtime.hpp"
#include "space/pages.hpp"
#include "space/reserve.hpp"

namespace armature::space {

namespace {

// The bytes that the heap writes at the start of a free block, and those before a block's end.
constexpr std::size_t block_edge = 64;

struct Files {  // of all segments in this process
  std::atomic<bool> pages_stay = false;
  std::atomic<int> of_all = -1;
};

/// The pages that a block has for itself: nothing else has bytes in them.
struct OwnPages {
  OwnPages(std::byte* start, std::size_t bytes)
      : first(page_above(start + block_edge)), last(page_below(start + bytes - block_edge)) {}
  std::byte *first, *last;
};

bool drop(std::byte* from, std::byte* to) {
  if (from < to && keeps_pages())
    return std::memset(from, 0, static_cast<std::size_t>(to - from)) != nullptr;
  return from >= to || remove_pages(from, static_cast<std::size_t>(to - from));
}

/// Whether bytes of a page that was given back are zeros. True where it cannot be found out.
bool kernel_gives_pages_back() {
  const base::FileDescriptor file(memfd_create("armature-page", MFD_CLOEXEC));
  if (!file || ftruncate(file.get(), static_cast<off_t>(page_bytes)) != 0) return true;
  void* const page = mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (page == MAP_FAILED) return true;
  auto& byte = *static_cast<volatile unsigned char*>(page);
  byte = 1;
  const bool says_so = madvise(page, page_bytes, MADV_REMOVE) == 0;
  const bool does_so = byte == 0;
  munmap(page, page_bytes);
  return does_so || !says_so;
}

/// So many bytes of these pages exist, whichever process has touched them.
std::size_t bytes_there(std::byte* from, const std::byte* to) {
  constexpr std::size_t pages_max = 4096;
  unsigned char there[pages_max];
  std::size_t pages = 0;
  while (from < to) {
    const std::size_t bytes = std::min(static_cast<std::size_t>(to - from), pages_max * page_bytes);
    if (mincore(from, bytes, there) != 0) break;
    pages += static_cast<std::size_t>(
        std::count_if(there, there + bytes / page_bytes, [](unsigned char p) { return p & 1; }));
    from += bytes;
  }
  return pages * page_bytes;
}

}  // namespace

void keep_pages() { base::state<Files>().pages_stay.store(true, std::memory_order_relaxed); }

bool keeps_pages() {
  const auto* const files = base::Runtime::here().find<Files>();  // also within malloc
  return files != nullptr && files->pages_stay.load(std::memory_order_relaxed);
}

void keep_pages_as_kernel_does() {
  if (!keeps_pages() && !kernel_gives_pages_back()) keep_pages();
}

// By address: where a program has closed our file, its number may be that of one of its own.
bool remove_pages(void* begin, std::size_t bytes) {
  return !keeps_pages() && madvise(begin, bytes, MADV_REMOVE) == 0;
}

void use_segments_file(int fd) { base::state<Files>().of_all.store(fd, std::memory_order_relaxed); }

int segments_file() {
  const auto* const files = base::Runtime::here().find<Files>();  // for signal handlers
  return files != nullptr ? files->of_all.load(std::memory_order_relaxed) : -1;
}

bool SegmentPages::make(std::byte* from, std::byte* to) {
  const int of_all = segments_file();
  return reserve(of_all >= 0 ? of_all : fd_,
                 file_offset_ + static_cast<std::uint64_t>(from - start_),
                 static_cast<std::uint64_t>(to - from));
}

/// The end of the pages that must exist for a block that ends there. The next block has its
/// bookkeeping on the bytes that follow. Behind a small block it is one page more: the heap writes
/// to the next block when it divides it, so pages would exist before they are asked for.
std::byte* SegmentPages::end_of(std::byte* end, std::size_t bytes) const {
  const std::size_t more = bytes < page_wise_min ? page_bytes : 0;
  return std::min(page_above(end + block_edge) + more, start_ + bytes_max_);
}

bool SegmentPages::fill(void* address, std::size_t bytes) {
  auto* const start = static_cast<std::byte*>(address);
  std::byte* const end = start + bytes;
  const OwnPages own(start, bytes);
  // Pages that earlier, smaller blocks have used are exchanged for fresh ones, unless the program
  // has locked them (mlock).
  const bool exchanges = bytes >= page_wise_min && !keeps_pages() && drop(own.first, own.last);
  if (!make(page_below(start), end_of(end, bytes))) return false;
  if (!exchanges) return std::memset(start, 0, bytes) != nullptr;
  std::memset(start, 0, static_cast<std::size_t>(own.first - start));
  std::memset(own.last, 0, static_cast<std::size_t>(end - own.last));
  return true;
}

bool SegmentPages::fill_lazily(void* address, std::size_t bytes) {
  auto* const start = static_cast<std::byte*>(address);
  const OwnPages own(start, bytes);
  if (!make(page_below(start), own.first) || !make(own.last, end_of(start + bytes, bytes)))
    return false;
  clear_pages(address, bytes);
  return true;
}

std::size_t SegmentPages::missing(void* address, std::size_t bytes) const {
  auto* const start = static_cast<std::byte*>(address);
  std::byte* const from = page_below(start);
  const std::byte* const to = end_of(start + bytes, bytes);
  return static_cast<std::size_t>(to - from) - bytes_there(from, to);
}

bool SegmentPages::fill_whole(std::byte* from, std::byte* to) {
  // Pages that cannot be given back, since the program may have locked them, are cleared.
  if (!drop(from, to)) std::memset(from, 0, static_cast<std::size_t>(to - from));
  return make(from, to);
}

std::size_t own_page_bytes(void* address, std::size_t bytes) {
  const OwnPages own(static_cast<std::byte*>(address), bytes);
  return own.first < own.last ? static_cast<std::size_t>(own.last - own.first) : 0;
}

std::size_t own_page_bytes_there(void* address, std::size_t bytes) {
  const OwnPages own(static_cast<std::byte*>(address), bytes);
  return bytes_there(own.first, own.last);
}

std::size_t bytes_to_reserve(std::size_t bytes) {
  // No memory is enough where the sum would overflow.
  constexpr std::size_t more = 3 * page_bytes;
  return bytes > SIZE_MAX - 2 * more ? SIZE_MAX : page_below(bytes) + more;
}

void clear_pages(void* address, std::size_t bytes) {
  auto* const start = static_cast<std::byte*>(address);
  const OwnPages own(start, bytes);
  if (own.last <= own.first || !drop(own.first, own.last)) {
    std::memset(start, 0, bytes);
    return;
  }
  std::memset(start, 0, static_cast<std::size_t>(own.first - start));
  std::memset(own.last, 0, static_cast<std::size_t>(start + bytes - own.last));
}

void let_pages_go(void* address, std::size_t bytes) {
  const OwnPages own(static_cast<std::byte*>(address), bytes);
  // Should the kernel refuse, the pages just stay.
  if (bytes >= page_wise_min) (void)drop(own.first, own.last);
}

void give_pages_back(std::byte* from, std::byte* to) { (void)drop(from, to); }

}  // namespace armature::space

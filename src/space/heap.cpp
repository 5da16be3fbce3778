#include "space/heap.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include <boost/interprocess/mem_algo/rbtree_best_fit.hpp>
#include <boost/interprocess/offset_ptr.hpp>
#include <boost/interprocess/sync/mutex_family.hpp>

#include "base/runtime.hpp"
#include "space/pages.hpp"
#include "space/reserve.hpp"

namespace armature::space {

namespace bi = boost::interprocess;

struct Heap::Tree : bi::rbtree_best_fit<bi::null_mutex_family, bi::offset_ptr<void>> {
  using rbtree_best_fit::rbtree_best_fit;
};

namespace {
// One page, as long as little is allocated.
constexpr std::size_t bytes_at_first = page_bytes, growth_min = 16 * page_bytes;
// What the tree writes into a free block's first bytes, and what lies before a block's end.
constexpr std::size_t block_edge = 64;
}  // namespace

Heap Heap::create(std::byte* start, std::size_t bytes, int fd, std::uint64_t file_offset) {
  Heap heap;
  heap.start_ = start;
  heap.file_offset_ = file_offset;
  heap.fd_ = fd;
  heap.bytes_max_ = bytes;
  return heap;
}

std::uint64_t Heap::offset_of(const std::byte* address) const {
  return file_offset_ + static_cast<std::uint64_t>(address - start_);
}

namespace {
struct Files {  // of all bands in this process
  std::atomic<bool> pages_stay = false;
  std::atomic<int> of_all = -1;
};
}  // namespace

void Heap::keep_pages() { base::state<Files>().pages_stay.store(true, std::memory_order_relaxed); }

bool Heap::keeps_pages() { return base::state<Files>().pages_stay.load(std::memory_order_relaxed); }

void Heap::use_file(int fd) { base::state<Files>().of_all.store(fd, std::memory_order_relaxed); }

int Heap::file_of_all_bands() {
  const auto* const files = base::Runtime::here().find<Files>();  // for signal handlers
  return files != nullptr ? files->of_all.load(std::memory_order_relaxed) : -1;
}

int Heap::file() const {
  const int of_all = file_of_all_bands();
  return of_all >= 0 ? of_all : fd_;
}

bool Heap::drop_pages(std::byte* from, std::byte* to) {
  if (from < to && keeps_pages())
    return std::memset(from, 0, static_cast<std::size_t>(to - from)) != nullptr;
  // By address: where a program has closed our file, its number may be that of one of its own.
  return from >= to || madvise(from, static_cast<std::size_t>(to - from), MADV_REMOVE) == 0;
}

bool Heap::reserve_pages(std::byte* from, std::byte* to) {
  return reserve(file(), offset_of(from), static_cast<std::uint64_t>(to - from));
}

/// So that at least that much more fits; twice as large each time, as far as there is room.
bool Heap::grow(std::size_t bytes) {
  const std::size_t now = tree_->get_size(), room = bytes_max_ - now;
  if (room < page_bytes) return false;
  tree_->grow(
      std::min(std::max({now, page_below(bytes) + page_bytes, growth_min}), page_below(room)));
  return true;
}

void* Heap::take(std::size_t bytes, std::size_t alignment) {
  // The tree would compute with sizes near the end of the address space; none such can fit anyway.
  if (bytes > bytes_max_ || alignment > bytes_max_) return errno = ENOMEM, nullptr;
  if (tree_ == nullptr) tree_ = new (start_) Tree(std::min(bytes_max_, bytes_at_first), 0);
  void* address = nullptr;
  do {
    address = tree_->allocate_aligned(bytes, alignment);
  } while (address == nullptr && grow(bytes + alignment + page_bytes));
  if (address == nullptr) errno = ENOMEM;
  return address;
}

namespace {
/// What a block has for itself of the pages it lies in: pages that nothing else has bytes in.
struct OwnPages {
  OwnPages(std::byte* start, std::size_t bytes)
      : first(page_above(start + block_edge)), last(page_below(start + bytes - block_edge)) {}
  std::byte *first, *last;
};
}  // namespace

/// Where the pages end that must exist for a block that ends there. The block behind it has its
/// bookkeeping on the next bytes. Behind a small one a page more: the tree writes to the next block
/// when it divides it, so pages would come to be there before they are asked for.
std::byte* Heap::pages_end(std::byte* end, std::size_t bytes) const {
  const std::size_t more = bytes < page_wise_min ? page_bytes : 0;
  return std::min(page_above(end + block_edge) + more, start_ + bytes_max_);
}

bool Heap::fill(void* address, std::size_t bytes) {
  auto* const start = static_cast<std::byte*>(address);
  std::byte* const end = start + bytes;
  const OwnPages own(start, bytes);
  // Pages that earlier, smaller blocks have used are exchanged for fresh ones, unless the program
  // has locked them (mlock).
  const bool exchanges =
      bytes >= page_wise_min && !keeps_pages() && drop_pages(own.first, own.last);
  if (!reserve_pages(page_below(start), pages_end(end, bytes))) return false;
  if (!exchanges) return std::memset(start, 0, bytes) != nullptr;
  std::memset(start, 0, static_cast<std::size_t>(own.first - start));
  std::memset(own.last, 0, static_cast<std::size_t>(end - own.last));
  return true;
}

bool Heap::fill_lazily(void* address, std::size_t bytes) {
  auto* const start = static_cast<std::byte*>(address);
  const OwnPages own(start, bytes);
  if (!reserve_pages(page_below(start), own.first) ||
      !reserve_pages(own.last, pages_end(start + bytes, bytes)))
    return false;
  clear(address, bytes);
  return true;
}

namespace {
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

std::size_t Heap::missing(void* address, std::size_t bytes) const {
  auto* const start = static_cast<std::byte*>(address);
  std::byte* const from = page_below(start);
  const std::byte* const to = pages_end(start + bytes, bytes);
  return static_cast<std::size_t>(to - from) - bytes_there(from, to);
}

std::size_t Heap::own_bytes(void* address, std::size_t bytes) {
  const OwnPages own(static_cast<std::byte*>(address), bytes);
  return own.first < own.last ? static_cast<std::size_t>(own.last - own.first) : 0;
}

std::size_t Heap::own_bytes_there(void* address, std::size_t bytes) {
  const OwnPages own(static_cast<std::byte*>(address), bytes);
  return bytes_there(own.first, own.last);
}

std::size_t Heap::bytes_to_reserve(std::size_t bytes) {
  // Where a sum would overflow no memory is enough.
  constexpr std::size_t more = 3 * page_bytes;
  return bytes > SIZE_MAX - 2 * more ? SIZE_MAX : page_below(bytes) + more;
}

void Heap::clear(void* address, std::size_t bytes) {
  auto* const start = static_cast<std::byte*>(address);
  const OwnPages own(start, bytes);
  if (own.last <= own.first || !drop_pages(own.first, own.last)) {
    std::memset(start, 0, bytes);
    return;
  }
  std::memset(start, 0, static_cast<std::size_t>(own.first - start));
  std::memset(own.last, 0, static_cast<std::size_t>(start + bytes - own.last));
}

void Heap::let_pages_go(void* address, std::size_t bytes) {
  const OwnPages own(static_cast<std::byte*>(address), bytes);
  // Should the kernel refuse, the pages just stay.
  if (bytes >= page_wise_min) (void)drop_pages(own.first, own.last);
}

void Heap::free(void* address) { tree_->deallocate(address); }

std::size_t Heap::block_bytes(const void* address) const { return tree_->size(address); }

bool Heap::fill_pages(std::byte* from, std::byte* to) {
  // Of pages that cannot be given back (the program may have locked them) the contents go.
  if (!drop_pages(from, to)) std::memset(from, 0, static_cast<std::size_t>(to - from));
  return reserve_pages(from, to);
}

std::size_t Heap::grown_bytes() const {
  return tree_ == nullptr ? std::min(bytes_max_, bytes_at_first) : tree_->get_size();
}

std::size_t Heap::free_bytes() const {
  if (tree_ == nullptr) return bytes_max_;
  return tree_->get_free_memory() + bytes_max_ - tree_->get_size();
}

}  // namespace armature::space

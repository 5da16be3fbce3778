#include "space/heap.hpp"

#include <algorithm>
#include <cerrno>
#include <new>

#include <boost/interprocess/mem_algo/rbtree_best_fit.hpp>
#include <boost/interprocess/offset_ptr.hpp>
#include <boost/interprocess/sync/mutex_family.hpp>

#include "space/pages.hpp"

namespace armature::space {

namespace bi = boost::interprocess;

struct Heap::Tree : bi::rbtree_best_fit<bi::null_mutex_family, bi::offset_ptr<void>> {
  using rbtree_best_fit::rbtree_best_fit;
};

namespace {
// One page, as long as little is allocated.
constexpr std::size_t bytes_at_first = page_bytes, growth_min = 16 * page_bytes;
}  // namespace

Heap Heap::create(std::byte* start, std::size_t bytes, int fd, std::uint64_t file_offset) {
  Heap heap;
  heap.pages_ = SegmentPages(start, bytes, fd, file_offset);
  return heap;
}

/// So that at least that much more fits; twice as large each time, as far as there is room.
bool Heap::grow(std::size_t bytes) {
  const std::size_t now = tree_->get_size(), room = pages_.bytes_max() - now;
  if (room < page_bytes) return false;
  tree_->grow(
      std::min(std::max({now, page_below(bytes) + page_bytes, growth_min}), page_below(room)));
  return true;
}

void* Heap::take(std::size_t bytes, std::size_t alignment) {
  const std::size_t bytes_max = pages_.bytes_max();
  // The tree would compute with sizes near the end of the address space; none such can fit anyway.
  if (bytes > bytes_max || alignment > bytes_max) return errno = ENOMEM, nullptr;
  if (tree_ == nullptr) tree_ = new (pages_.start()) Tree(std::min(bytes_max, bytes_at_first), 0);
  void* address = nullptr;
  do {
    address = tree_->allocate_aligned(bytes, alignment);
  } while (address == nullptr && grow(bytes + alignment + page_bytes));
  if (address == nullptr) errno = ENOMEM;
  return address;
}

void Heap::free(void* address) { tree_->deallocate(address); }

std::size_t Heap::block_bytes(const void* address) const { return tree_->size(address); }

std::size_t Heap::grown_bytes() const {
  return tree_ == nullptr ? std::min(pages_.bytes_max(), bytes_at_first) : tree_->get_size();
}

std::size_t Heap::free_bytes() const {
  if (tree_ == nullptr) return pages_.bytes_max();
  return tree_->get_free_memory() + pages_.bytes_max() - tree_->get_size();
}

}  // namespace armature::space

#include "space/segment_heap.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "space/node_memory.hpp"
#include "space/pages.hpp"
#include "space/virtual_segment.hpp"

namespace armature::space {

namespace {

/// The part of the heap that a rank itself cannot allocate: it is kept for what arrives from other
/// nodes. A remote call or a message from another node needs a place where the rank reads it, and
/// arrives whether or not the rank has memory left. On one node that place is the sender's.
///
/// It is address space only: pages exist when it is used. It is enough for every other rank to send
/// both, where that is no more than an eighth of the heap. Virtual ranks keep it on one node, too,
/// since they may continue from a checkpoint on several.
std::size_t room_for_doors(const ControlHeader& job, std::size_t heap_bytes) {
  if (job.nodes < 2 && job.ranks_are_virtual == 0) return 0;
  constexpr std::size_t bytes_of_peer = 160 * 1024;  // a ring, a channel of the usual size
  return page_below(std::min((job.ranks - 1) * bytes_of_peer + page_bytes, heap_bytes / 8));
}

struct Waiting {
  void (*let_others_run)() = [] {};
};

}  // namespace

SegmentHeap::SegmentHeap(const Mapping& mapping, Rank me, const File& file)
    : mapping_(mapping),
      job_(mapping.header()),
      me_(me),
      list_(mapping.allocations(me)),
      view_(*mapping.fast_view(me)),
      kept_(NodeMemory(mapping).kept_blocks(me)) {
  const std::size_t begin = mapping.heap_offset();
  const std::size_t end =
      job_.ranks_are_virtual != 0 ? VirtualSegment(job_).heap_end() : mapping.segment_bytes();
  const std::size_t all_bytes = page_below(end - begin);
  const std::size_t door_bytes = room_for_doors(job_, all_bytes);
  const std::size_t main_bytes = all_bytes - door_bytes;
  std::byte* const start = mapping.segment(me) + begin;
  main_ = Heap::create(start, main_bytes, file.descriptor, file.offset + begin);
  main_end_ = start + main_bytes;
  for_doors_ =
      Heap::create(main_end_, door_bytes, file.descriptor, file.offset + begin + main_bytes);
  view_.begin = reinterpret_cast<std::uintptr_t>(start);
}

void SegmentHeap::let_others_run_by(void (*by)()) { base::state<Waiting>().let_others_run = by; }

bool SegmentHeap::rolls_back() const { return job_.nodes > 1 && job_.quiesce.is_to_reconfigure(); }

/// False: a door does without, as its process rolls back.
bool SegmentHeap::wait(By by) {
  const auto gives_up = [this] { return rolls_back(); };
  while (!mutex_.lock(gives_up)) {
    if (by == By::door) return false;
    base::state<Waiting>()
        .let_others_run();  // a rank does not return from there when its process rolls back
  }
  return true;
}

void* SegmentHeap::take(std::size_t bytes, std::size_t alignment, Failure& failure, By by) {
  const HeapLock one_at_a_time = lock(by);
  if (!one_at_a_time.holds()) return nullptr;
  void* address = take_from_main(bytes, alignment);
  if (address == nullptr && by == By::door) address = for_doors_.take(bytes, alignment);
  if (address == nullptr)
    failure = {fmt::format("the size of a segment ({}; armature run --segment-size)",
                           base::readable_bytes(mapping_.segment_bytes())),
               main_.free_bytes()};
  return address;
}

/// Under the lock: what is kept goes before there are no addresses left.
void* SegmentHeap::take_from_main(std::size_t bytes, std::size_t alignment) {
  if (void* const address = main_.take(bytes, alignment)) return address;
  while (void* const small = kept_.small().take_any()) main_.free(small);
  if (kept_.has_large()) {
    NodeMemory(mapping_).empty_kept(me_);
    collect_emptied();
  }
  return main_.take(bytes, alignment);
}

void SegmentHeap::collect_emptied() {
  while (const auto block = kept_.take_emptied()) main_.free(block->address);
}

void SegmentHeap::give_back(void* address, std::size_t bytes, By by) {
  let_pages_go(address, bytes);
  if (const HeapLock one_at_a_time = lock(by); one_at_a_time.holds())
    heap_of(address).free(address);
}

void* SegmentHeap::record(void* address, std::size_t bytes, Allocation::Kind kind, Failure& failure,
                          By by) {
  const HeapLock one_at_a_time = lock(by);
  if (!one_at_a_time.holds()) return nullptr;
  const std::size_t count_max =
      by == By::rank ? list_entries_of_rank : std::size_t{Allocations::count_max};
  if (list_.count() >= count_max || !list_.add(Allocation::of(address, bytes, kind))) {
    failure = {fmt::format("the list of {} allocations", count_max), 0};
    return nullptr;
  }
  // Kept-back room is the library's alone: transfers of others do not reach it.
  if (address < main_end_) extend_to(address, bytes);
  return address;
}

std::optional<std::size_t> SegmentHeap::forget(void* address, Allocation::Kind kind, By by) {
  const HeapLock one_at_a_time = lock(by);
  if (!one_at_a_time.holds()) return 0;
  const auto removed = list_.remove(reinterpret_cast<std::uint64_t>(address), kind);
  if (!removed) return std::nullopt;
  return removed->bytes;
}

/// Under the lock.
void* SegmentHeap::reuse_large(std::size_t bytes, std::size_t alignment) noexcept {
  const KeptMemory::Block block = kept_.take(bytes, alignment);
  if (block.address == nullptr) return nullptr;
  constexpr auto local = Allocation::Kind::local;
  if (!list_.add_again(reinterpret_cast<std::uint64_t>(block.address), bytes, local)) [[unlikely]]
    ARMATURE_ASSERT(list_.add(Allocation::of(block.address, bytes, local)));
  extend_to(block.address, bytes);
  return block.address;
}

/// Under the lock. Off the list first, as from then on others may give the pages back.
bool SegmentHeap::keep_large(void* address, const Allocations::Found& found) noexcept {
  const KeptMemory::Block block{static_cast<std::byte*>(address), main_.block_bytes(address)};
  if (!kept_.has_room_for(block)) return false;
  list_.remove(found);
  return kept_.put(block);
}

}  // namespace armature::space

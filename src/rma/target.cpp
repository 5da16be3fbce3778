#include "rma/target.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "rma/adder.hpp"
#include "rma/daxpy.hpp"
#include "rma/local.hpp"
#include "rma/subarray.hpp"
#include "wait/processes.hpp"
#include "wait/rank_context.hpp"

namespace armature::rma {
namespace {

/// The lock of a chunk, while it is there.
class ChunkHold {
 public:
  ChunkHold(wait::LockWord& word, const Target::By& by) : word_(word) {
    if (!wait::try_lock(word, by.rank)) by.contended(word, by.rank);
  }
  ChunkHold(const ChunkHold&) = delete;
  ChunkHold& operator=(const ChunkHold&) = delete;
  ~ChunkHold() { wait::unlock(word_); }

 private:
  wait::LockWord& word_;
};

detail::Element element_of(const Update& update) {
  return static_cast<detail::Element>(update.element);
}

}  // namespace

void Target::write(const Rows& rows) const {
  if (kind_ != nullptr) {
    for (std::size_t i = 0; i < rows.count; ++i)
      kind_->write(rows.row_to(i), rows.row_from(i), rows.row_bytes);
    return;
  }
  if (rows.count == 1) return put_local(rows.to, rows.from, rows.row_bytes);
  std::atomic_thread_fence(std::memory_order_release);
  copy_rows(rows.to, rows.to_stride, rows.from, rows.from_stride, rows.count, rows.row_bytes);
}

void Target::read(const Rows& rows) const {
  if (kind_ != nullptr) {
    for (std::size_t i = 0; i < rows.count; ++i)
      kind_->read(rows.row_to(i), rows.row_from(i), rows.row_bytes);
    return;
  }
  if (rows.count == 1) return get_local(rows.to, rows.from, rows.row_bytes);
  copy_rows(rows.to, rows.to_stride, rows.from, rows.from_stride, rows.count, rows.row_bytes);
  std::atomic_thread_fence(std::memory_order_acquire);
}

void Target::add(const Rows& rows, const Update& update) const {
  if (kind_ != nullptr) {
    for (std::size_t i = 0; i < rows.count; ++i)
      add_by_routine(rows.row_to(i), rows.row_from(i), rows.row_bytes, update);
    return;
  }
  Adder adder(element_of(update), rank_, update.scale, mapping_, by_.rank, by_.contended);
  for (std::size_t i = 0; i < rows.count; ++i)
    adder.add(rows.row_to(i), rows.row_from(i), rows.row_bytes);
}

/// Block by block: read, added to, written, under the lock of the chunk that the block begins in.
void Target::add_by_routine(std::byte* to, const std::byte* from, std::size_t bytes,
                            const Update& update) const {
  constexpr std::size_t block = 4096;
  alignas(64) std::array<std::byte, block> here;
  const detail::Element element = element_of(update);
  const int shift = element_shift(element);
  const std::size_t element_bytes = std::size_t{1} << shift;
  while (bytes > 0) {
    const auto offset = static_cast<std::size_t>(to - mapping_.segment(rank_));
    // Up to the end of the element that crosses the chunk's end.
    const std::size_t room = space::chunk_bytes - offset % space::chunk_bytes;
    const std::size_t whole = (room + element_bytes - 1) / element_bytes * element_bytes;
    const std::size_t part = std::min({bytes, whole, block});
    const ChunkHold held(mapping_.chunk_lock(rank_, to), by_);
    kind_->read(here.data(), to, part);
    daxpy(element, update.scale)(here.data(), from, part >> shift, update.scale);
    kind_->write(to, here.data(), part);
    to += part;
    from += part;
    bytes -= part;
  }
}

std::uint64_t Target::perform(const AtomicRecord& what) const {
  auto* const address = reinterpret_cast<void*>(what.address);
  if (kind_ == nullptr) return perform_local(address, what);
  const ChunkHold held(mapping_.chunk_lock(rank_, address), by_);
  alignas(8) std::array<std::byte, 8> value{};
  kind_->read(value.data(), address, what.bytes);
  const std::uint64_t found = perform_local(value.data(), what);
  kind_->write(address, value.data(), what.bytes);
  return found;
}

void await_chunk(wait::LockWord& word, int me) {
  const space::Mapping& mapping = wait::mapping("accumulate");
  while (!wait::try_lock(word, me)) {
    const int holder = wait::lock_holder(word.load(std::memory_order_relaxed));
    if (holder >= 0 && holder < mapping.ranks() &&
        (mapping.slot(holder).life.load(std::memory_order_acquire) == space::Life::dead ||
         wait::is_lost(mapping.process_slot(mapping.slot(holder).process))))
      wait::unlock_of_dead(word, holder);
    sched_yield();
  }
}

}  // namespace armature::rma

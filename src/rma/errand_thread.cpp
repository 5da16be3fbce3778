// The side of errand.hpp that runs them.
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

#include "base/start_thread.hpp"
#include "rma/errand.hpp"
#include "rma/memory.hpp"
#include "rma/target.hpp"

namespace armature::rma {
namespace {

/// Looks before it sleeps: who asks once asks again soon.
constexpr int looks = 200;
constexpr long look_again_ns = 100'000'000;

}  // namespace

ErrandThread::ErrandThread(const space::Mapping& mapping, Rank rank)
    : mapping_(mapping), rank_(rank), box_(ExposedMemory::of(mapping, rank).box) {
  thread_ = base::start_thread("to serve exposed memory", [this] { serve(); });
}

ErrandThread::~ErrandThread() {
  ends_.store(true, std::memory_order_release);
  (void)syscall(SYS_futex, &box_.state, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  thread_.join();
}

void ErrandThread::serve() {
  int looked = 0;
  // Acquire: what the rank did before it ended us is seen.
  while (!ends_.load(std::memory_order_acquire)) {
    const std::uint32_t state = box_.state.load(std::memory_order_acquire);
    if (state == ErrandBox::asked) {
      looked = 0;
      run(box_.errand);
      box_.state.store(ErrandBox::done, std::memory_order_release);
    } else if (++looked < looks) {
      sched_yield();
    } else {
      sleep(state);
    }
  }
}

/// Sequentially consistent with who asks: either it is seen asleep, or the state is not what it
/// was.
void ErrandThread::sleep(std::uint32_t state) {
  box_.is_asleep.store(1, std::memory_order_seq_cst);
  const timespec time{0, look_again_ns};
  if (box_.state.load(std::memory_order_seq_cst) == state && !ends_.load(std::memory_order_seq_cst))
    (void)syscall(SYS_futex, &box_.state, FUTEX_WAIT, state, &time, nullptr, 0);
  box_.is_asleep.store(0, std::memory_order_relaxed);
}

void ErrandThread::run(Errand& errand) const {
  const bool is_atomic = errand.what == ErrandDo::atomic;
  const std::uint64_t address =
      is_atomic ? errand.atomic.address
                : lowest_of(errand.rows.address, errand.rows.stride, errand.rows.rows);
  const std::uint64_t bytes = is_atomic ? errand.atomic.bytes : errand.rows.row_bytes;
  const auto memory = memory_at(mapping_, rank_, address, bytes);
  if (!memory) return;  // concealed since it was asked for
  const Target target(mapping_, rank_, memory->kind, {rank_, await_chunk});
  if (is_atomic) {
    errand.found = target.perform(errand.atomic);
    return;
  }
  const auto dense = static_cast<std::ptrdiff_t>(errand.rows.row_bytes);
  auto* const there = reinterpret_cast<std::byte*>(errand.rows.address);
  Rows rows{.to = there,
            .from = box_.bytes.data(),
            .to_stride = errand.rows.stride,
            .from_stride = dense,
            .row_bytes = errand.rows.row_bytes,
            .count = errand.rows.rows};
  switch (errand.what) {
    case ErrandDo::write:
      return target.write(rows);
    case ErrandDo::add:
      return target.add(rows, {.element = errand.rows.element, .scale = errand.rows.scale});
    case ErrandDo::read:
      std::swap(rows.to_stride, rows.from_stride);
      rows.to = box_.bytes.data();
      rows.from = there;
      return target.read(rows);
    case ErrandDo::atomic:
      return;
  }
}

}  // namespace armature::rma

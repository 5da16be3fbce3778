// The side of errand.hpp that asks.
#include "rma/errand.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "rma/protocol.hpp"
#include "rma/remote.hpp"
#include "rma/rows.hpp"
#include "rma/subarray.hpp"
#include "rma/target.hpp"
#include "rma/write_stream.hpp"
#include "wait/rank_context.hpp"

namespace armature::rma {
namespace {

/// The calling rank, or for a thread that runs none, a rank of its process: dead when that is.
int rank_of_caller(const space::Mapping& mapping) {
  if (const int rank = sender(); rank >= 0) return rank;
  const int pid = getpid();
  int rank = 0;
  while (rank + 1 < mapping.ranks() &&
         mapping.slot(rank).pid.load(std::memory_order_relaxed) != pid)
    ++rank;
  return rank;
}

/// The box of a rank, while the caller has it alone. Nothing is executed for others meanwhile: they
/// might ask here, too.
class Asking {
 public:
  Asking(Rank rank, const char* call)
      : rank_(rank),
        call_(call),
        mapping_(wait::mapping(call)),
        box_(ExposedMemory::of(mapping_, rank).box) {
    const int me = rank_of_caller(mapping_);
    if (!wait::try_lock(box_.lock, me)) await_chunk(box_.lock, me);
    try {
      await();  // what one has asked for who has died meanwhile
    } catch (...) {
      wait::unlock(box_.lock);
      throw;
    }
  }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;
  ~Asking() { wait::unlock(box_.lock); }

  [[nodiscard]] Errand& errand() const { return box_.errand; }
  [[nodiscard]] std::byte* bytes() const { return box_.bytes.data(); }

  /// Returns when it is done. Throws Error(rank_lost) when the rank has died, Error(misuse) when it
  /// has left the job.
  void ask(ErrandDo what) const {
    box_.errand.what = what;
    // Sequentially consistent with the owner's thread (errand_thread.cpp, sleep).
    box_.state.store(ErrandBox::asked, std::memory_order_seq_cst);
    if (box_.is_asleep.load(std::memory_order_seq_cst) != 0)
      (void)syscall(SYS_futex, &box_.state, FUTEX_WAKE, 1, nullptr, nullptr, 0);
    await();
  }

 private:
  /// Acquire: what was done is seen.
  [[nodiscard]] bool is_over() const {
    return box_.state.load(std::memory_order_acquire) != ErrandBox::asked;
  }
  void await() const {
    while (!is_over()) {
      const space::Life life = mapping_.slot(rank_).life.load(std::memory_order_acquire);
      if (life >= space::Life::finished && !is_over())
        base::fail(life == space::Life::dead ? Errc::rank_lost : Errc::misuse,
                   fmt::format("{}: rank {} has {}", call_, static_cast<int>(rank_),
                               life == space::Life::dead ? "died" : "left the job"));
      sched_yield();
    }
  }

  Rank rank_;
  const char* call_;
  const space::Mapping& mapping_;
  ErrandBox& box_;
};

void move(const Asking& box, const Operation& what, const Rows& rows) {
  WriteRecord record = record_of(what.update);
  const bool is_get = what.verb == Verb::get;
  record.address = reinterpret_cast<std::uint64_t>(is_get ? rows.from : rows.to);
  record.stride = is_get ? rows.from_stride : rows.to_stride;
  record.row_bytes = rows.row_bytes;
  record.rows = rows.count;
  box.errand().rows = record;
  const auto dense = static_cast<std::ptrdiff_t>(rows.row_bytes);
  if (is_get) {
    box.ask(ErrandDo::read);
    copy_rows(rows.to, rows.to_stride, box.bytes(), dense, rows.count, rows.row_bytes);
  } else {
    copy_rows(box.bytes(), dense, rows.from, rows.from_stride, rows.count, rows.row_bytes);
    box.ask(what.verb == Verb::add ? ErrandDo::add : ErrandDo::write);
  }
}

detail::Request* start_errand(const Operation& what, Finish /*now*/) {
  const Asking box(what.rank, what.call());
  for_each_rows(what, [&](const Rows& rows) {
    for_each_part(rows, ErrandBox::room, [&](const Rows& part) { move(box, what, part); });
  });
  return nullptr;
}

detail::Request* start_atomic_errand(const Atomic& what, Finish /*now*/, std::uint64_t& found) {
  const Asking box(what.rank, what.call);
  box.errand().atomic = what.record;
  box.ask(ErrandDo::atomic);
  found = box.errand().found;
  return nullptr;
}

}  // namespace

const Protocol errand{.name = "errand", .start = start_errand, .start_atomic = start_atomic_errand};

}  // namespace armature::rma

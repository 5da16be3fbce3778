// The side of errand.hpp that asks.
#include "rma/errand.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "rma/protocol.hpp"
#include "rma/rows.hpp"
#include "rma/section.hpp"
#include "rma/write_stream.hpp"
#include "wait/rank_context.hpp"
#include "wait/wait.hpp"

namespace armature::rma {
namespace {

/// The box of a rank, while the calling rank has it alone.
class Asking {
 public:
  Asking(Rank rank, const char* call)
      : rank_(rank),
        call_(call),
        space_(wait::this_rank(call).space),
        box_(ExposedMemory::of(space_, rank).box) {
    take();
    // Of one who has died while it was run.
    await(ErrandBox::asked);
  }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;
  ~Asking() { wait::unlock(box_.lock); }

  [[nodiscard]] Errand& errand() const { return box_.errand; }
  [[nodiscard]] std::byte* bytes() const { return box_.bytes.data(); }

  /// Returns when it is done. Throws Error(rank_lost) when the rank has died.
  void ask(ErrandDo what) const {
    box_.errand.what = what;
    box_.errand.asker = space_.me();
    // Sequentially consistent with the owner's thread (errand_thread.cpp, sleep).
    box_.state.store(ErrandBox::asked, std::memory_order_seq_cst);
    if (box_.is_asleep.load(std::memory_order_seq_cst) != 0)
      (void)syscall(SYS_futex, &box_.state, FUTEX_WAKE, 1, nullptr, nullptr, 0);
    await(ErrandBox::asked);
  }

 private:
  void take() const {
    const std::uint64_t token = wait::lock_token_of_thread(space_.me());
    if (wait::try_lock_by(box_.lock, token)) return;
    wait::WaitFor waiting{.what = space::Awaiting::completion, .call = call_};
    for (;;) {
      try {
        return wait::lock_contended(box_.lock, token, waiting);
      } catch (const Error& error) {
        if (error.code() != Errc::rank_lost || waiting.peer < 0 || waiting.peer == rank_) throw;
        wait::unlock_of_dead(box_.lock, waiting.peer);
      }
    }
  }
  /// Acquire: what was done is seen.
  void await(std::uint32_t not_any_more) const {
    wait::WaitFor waiting{.what = space::Awaiting::completion, .peer = rank_, .call = call_};
    wait::wait_until(waiting,
                     [&] { return box_.state.load(std::memory_order_acquire) != not_any_more; });
  }

  Rank rank_;
  const char* call_;
  const space::AddressSpace& space_;
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

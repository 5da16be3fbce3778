#include "wait/outstanding.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/clock.hpp"
#include "base/runtime.hpp"
#include "transport/limits.hpp"
#include "wait/poller.hpp"
#include "wait/wait.hpp"

namespace armature::wait {

using transport::Limits;

namespace {

// Relaxed: they order nothing, and a bound that is passed by a few threads at once holds well
// enough.
struct Totals {
  static constexpr std::size_t runtime_place = 3;

  std::atomic<std::uint64_t> under_way = 0;   // operations and bytes in one word, see packed()
  std::atomic<std::uint64_t> generation = 0;  // how often all were forgotten
  // When who waits for room looked last, and a large one; 0 when it has found some.
  std::atomic<std::uint64_t> waits_ns = 0, large_waits_ns = 0;
  std::atomic<std::ptrdiff_t> large_bytes = 0;
};
Totals& totals() { return base::state<Totals>(); }

// 2^20 operations of 2^44 bytes together: more than any bound lets begin.
constexpr unsigned operations_shift = 44;
constexpr std::uint64_t packed(std::size_t bytes) {
  return std::uint64_t{1} << operations_shift | bytes;
}

/// Whether somebody has looked lately. One who waits looks much more often; not while its rank is
/// in a method, which may need another rank, nor once it has gone to another process.
bool is_recent(const std::atomic<std::uint64_t>& look_ns) {
  constexpr std::uint64_t lately_ns = 50'000'000;
  const std::uint64_t looked_ns = look_ns.load(std::memory_order_relaxed);
  return looked_ns != 0 && base::now_ns() < looked_ns + lately_ns;
}

/// An operation that is to begin. A rank that must wait, or finds another one waiting, waits until
/// half of the bound is free. So nobody who waits is passed for ever by others who take each place
/// that gets free. Nobody waits for another's wait to end, only for operations to: with none under
/// way every one may begin.
class NewOperation {
 public:
  explicit NewOperation(std::size_t bytes)
      : bytes_(static_cast<std::ptrdiff_t>(bytes)), is_large_(bytes_ > bytes_max_ / 2) {}

  [[nodiscard]] bool may_begin_at_once() const {
    const Outstanding all = outstanding();
    if (all.operations <= 0) return true;
    if (all.operations >= max_ || all.bytes + bytes_ > bytes_max_) return false;
    return !is_recent(totals().waits_ns) || may_begin();
  }
  /// A large one needs more than half; others leave it so much.
  [[nodiscard]] bool may_begin() const {
    const Outstanding all = outstanding();
    if (all.operations <= 0) return true;
    if (all.operations >= max_ / 2) return false;
    if (is_large_) return all.bytes + bytes_ <= bytes_max_;
    std::ptrdiff_t most = bytes_max_ / 2;
    if (is_recent(totals().large_waits_ns))
      most = std::min(most, bytes_max_ - totals().large_bytes.load(std::memory_order_relaxed));
    return all.bytes + bytes_ <= most;
  }
  /// Tells that the rank waits still, or does not any more.
  void tell(bool waits) const {
    const std::uint64_t now_ns = waits ? base::now_ns() : 0;
    totals().waits_ns.store(now_ns, std::memory_order_relaxed);
    if (!is_large_) return;
    totals().large_bytes.store(bytes_, std::memory_order_relaxed);
    totals().large_waits_ns.store(now_ns, std::memory_order_relaxed);
  }

 private:
  const std::ptrdiff_t max_ = static_cast<std::ptrdiff_t>(Limits::get().pending_max);
  const std::ptrdiff_t bytes_max_ = static_cast<std::ptrdiff_t>(Limits::get().pending_bytes_max);
  const std::ptrdiff_t bytes_;
  const bool is_large_;
};

}  // namespace

void make_room_for_operation(std::size_t bytes, const char* call) {
  const NewOperation one(bytes);
  if (one.may_begin_at_once()) return;
  WaitFor wait{.what = space::Awaiting::completion, .is_notified = false, .call = call};
  wait_until(wait, [&] {
    if (!one.may_begin()) (void)poller()->try_poll();
    const bool waits = !one.may_begin();
    one.tell(waits);
    return !waits;
  });
}

bool somebody_waits_for_room() { return is_recent(totals().waits_ns); }

Outstanding outstanding() {
  const std::uint64_t all = totals().under_way.load(std::memory_order_relaxed);
  constexpr std::uint64_t bytes_mask = (std::uint64_t{1} << operations_shift) - 1;
  return {static_cast<std::ptrdiff_t>(all >> operations_shift),
          static_cast<std::ptrdiff_t>(all & bytes_mask)};
}

void forget_outstanding() {
  totals().generation.fetch_add(1, std::memory_order_relaxed);
  totals().under_way.store(0, std::memory_order_relaxed);
}

void Charge::begin(std::size_t bytes) {
  Totals& all = totals();
  bytes_ = bytes;
  generation_ = all.generation.load(std::memory_order_relaxed);
  all.under_way.fetch_add(packed(bytes), std::memory_order_relaxed);
  is_under_way_.store(true, std::memory_order_release);
}

// Looked at first, as nearly all have been ended when they go: the bus need not be locked for that.
void Charge::end() {
  if (!is_under_way_.load(std::memory_order_relaxed) ||
      !is_under_way_.exchange(false, std::memory_order_acquire))
    return;
  // No rank runs while all are forgotten: what began before does not count any more.
  Totals& all = totals();
  if (generation_ != all.generation.load(std::memory_order_relaxed)) return;
  all.under_way.fetch_sub(packed(bytes_), std::memory_order_relaxed);
}

}  // namespace armature::wait

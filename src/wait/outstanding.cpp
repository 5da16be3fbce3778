#include "wait/outstanding.hpp"

#include <atomic>

#include "base/runtime.hpp"
#include "transport/protocol.hpp"
#include "wait/poller.hpp"
#include "wait/wait.hpp"

namespace armature::wait {

using transport::Protocol;

namespace {

// Relaxed: they order nothing, and a bound that is passed by a few threads at once holds well
// enough. Signed: after all have been forgotten some may end.
struct Totals {
  std::atomic<std::ptrdiff_t> operations = 0, bytes = 0;
};
Totals& totals() { return base::state<Totals>(); }

bool has_room(std::size_t bytes, std::size_t divisor) {
  const auto [operations, under_way] = outstanding();
  const Protocol& bounds = Protocol::get();
  const auto of = [&](std::size_t bound) { return static_cast<std::ptrdiff_t>(bound / divisor); };
  return operations <= 0 ||
         (operations < of(bounds.pending_max) &&
          under_way + static_cast<std::ptrdiff_t>(bytes) <= of(bounds.pending_bytes_max));
}

}  // namespace

void make_room_for_operation(std::size_t bytes, const char* call) {
  if (has_room(bytes, 1)) return;
  WaitFor wait{.what = space::Awaiting::completion, .rings = false, .call = call};
  wait_until(wait, [&] {
    if (has_room(bytes, 2)) return true;
    (void)poller()->try_poll();
    return has_room(bytes, 2);
  });
}

Outstanding outstanding() {
  return {totals().operations.load(std::memory_order_relaxed),
          totals().bytes.load(std::memory_order_relaxed)};
}

void forget_outstanding() {
  totals().operations.store(0, std::memory_order_relaxed);
  totals().bytes.store(0, std::memory_order_relaxed);
}

void Charge::begin(std::size_t bytes) {
  bytes_ = bytes;
  totals().operations.fetch_add(1, std::memory_order_relaxed);
  totals().bytes.fetch_add(static_cast<std::ptrdiff_t>(bytes), std::memory_order_relaxed);
  is_under_way_.store(true, std::memory_order_relaxed);
}

void Charge::end() {
  if (!is_under_way_.exchange(false, std::memory_order_relaxed)) return;
  totals().operations.fetch_sub(1, std::memory_order_relaxed);
  totals().bytes.fetch_sub(static_cast<std::ptrdiff_t>(bytes_), std::memory_order_relaxed);
}

}  // namespace armature::wait

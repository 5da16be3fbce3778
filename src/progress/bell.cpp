#include "progress/bell.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

#include "progress/network.hpp"

namespace armature::progress {
namespace {

bool membarrier_works = false;

long membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0); }

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen, long timeout_ns) {
  const timespec timeout{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &timeout, nullptr, 0);
}

}  // namespace

namespace detail {
void wake(space::RankSlot& slot) {
  if (Network* const net = network(); net != nullptr && slot.node != net->mapping().header().node)
    return net->doorbell(static_cast<int>(&slot - &net->mapping().slot(0)));
  slot.rung.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &slot.rung, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}
}  // namespace detail

// Every process of the job registers, so that a sleeper's barrier reaches it.
void prepare_bells() {
  membarrier_works = membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0;
}

bool bells_work() { return membarrier_works; }

void sleep(space::RankSlot& slot, bool (*ready)(void*), void* condition, long timeout_ns) {
  const std::uint32_t seen = slot.rung.load(std::memory_order_acquire);
  slot.asleep.fetch_add(1, std::memory_order_seq_cst);
  if (membarrier_works) membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
  if (!ready(condition)) futex_wait(slot.rung, seen, timeout_ns);
  slot.asleep.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace armature::progress

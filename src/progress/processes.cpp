#include "progress/processes.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

namespace armature::progress {

void wake_processes(const space::Control& control) {
  for (std::uint32_t p = 0; p < control.header().processes; ++p) {
    std::atomic<std::uint32_t>& word = control.process(static_cast<int>(p)).rung;
    word.fetch_add(1, std::memory_order_seq_cst);
    syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
}

}  // namespace armature::progress

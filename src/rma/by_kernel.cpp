// Puts and gets of memory that another process of the node exposes: the kernel copies between the
// two (process_vm_readv), row by row. Where it may not (another user, a sandbox, ptrace_scope), and
// for what it cannot do, there are errands.
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <utility>

#include "base/runtime.hpp"
#include "base/variable.hpp"
#include "rma/protocol.hpp"
#include "rma/rows.hpp"
#include "wait/rank_context.hpp"

namespace armature::rma {
namespace {

/// Whether the kernel copies between processes, as far as this one knows. Relaxed: who does not
/// know yet that it does not finds out by himself.
struct KernelCopies {
  std::atomic<bool> work = !base::is_off("ARMATURE_KERNEL_COPY");
};

/// Rows of an operation, which the kernel copies many at a time.
class Batch {
 public:
  Batch(const Operation& what, pid_t pid) : is_get_(what.verb == Verb::get), pid_(pid) {}

  /// False: the kernel does not.
  [[nodiscard]] bool add(const Rows& rows) {
    for (std::size_t i = 0; i < rows.count; ++i) {
      if (count_ == rows_max && !flush()) return false;
      void* const to = rows.row_to(i);
      void* const from = const_cast<std::byte*>(rows.row_from(i));
      here_[count_] = {is_get_ ? to : from, rows.row_bytes};
      there_[count_++] = {is_get_ ? from : to, rows.row_bytes};
    }
    return true;
  }
  [[nodiscard]] bool flush() {
    iovec* here = here_.data();
    iovec* there = there_.data();
    const iovec* const end = here_.data() + std::exchange(count_, 0);
    while (here != end) {
      const auto left = static_cast<std::size_t>(end - here);
      const ssize_t moved = is_get_ ? process_vm_readv(pid_, here, left, there, left, 0)
                                    : process_vm_writev(pid_, here, left, there, left, 0);
      // Forbidden; or no such process; or memory that the kernel does not copy, as a device's.
      if (moved <= 0) return false;
      pass(static_cast<std::size_t>(moved), here, there);
    }
    return true;
  }

 private:
  static constexpr std::size_t rows_max = 256;

  /// Behind what was moved, which may end within a row.
  static void pass(std::size_t moved, iovec*& here, iovec*& there) {
    while (moved > 0) {
      const std::size_t part = std::min(moved, here->iov_len);
      moved -= part;
      if (part == here->iov_len) {
        ++here, ++there;
        continue;
      }
      for (iovec* const side : {here, there}) {
        side->iov_base = static_cast<std::byte*>(side->iov_base) + part;
        side->iov_len -= part;
      }
    }
  }
  bool is_get_;
  pid_t pid_;
  std::array<iovec, rows_max> here_, there_;
  std::size_t count_ = 0;
};

bool copied_by_kernel(const Operation& what) {
  const pid_t pid = wait::mapping(what.call()).slot(what.rank).pid.load(std::memory_order_relaxed);
  Batch batch(what, pid);
  bool works = true;
  for_each_rows(what, [&](const Rows& rows) { works = works && batch.add(rows); });
  return works && batch.flush();
}

/// The process of one that has died or left may be another one's by now.
bool lives(const Operation& what) {
  const space::Mapping& mapping = wait::mapping(what.call());
  return mapping.slot(what.rank).life.load(std::memory_order_acquire) < space::Life::finished;
}

detail::Request* start_by_kernel(const Operation& what, Finish finish) {
  if (what.verb == Verb::add) return errand.start(what, finish);
  std::atomic<bool>& work = base::state<KernelCopies>().work;
  if (work.load(std::memory_order_relaxed) && lives(what)) {
    if (copied_by_kernel(what)) return nullptr;
    if (errno == EPERM || errno == EACCES || errno == ENOSYS)
      work.store(false, std::memory_order_relaxed);
  }
  return errand.start(what, finish);
}

detail::Request* start_atomic_by_errand(const Atomic& what, Finish finish, std::uint64_t& found) {
  return errand.start_atomic(what, finish, found);
}

}  // namespace

const Protocol by_kernel{
    .name = "kernel copy", .start = start_by_kernel, .start_atomic = start_atomic_by_errand};

}  // namespace armature::rma

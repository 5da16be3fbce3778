#include "message/copying.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <array>

#include "base/clock.hpp"
#include "space/control.hpp"
#include "wait/cost_model.hpp"

namespace armature::message {
namespace {

void add(std::atomic<std::uint64_t>& count, std::size_t bytes) {
  count.fetch_add(bytes, std::memory_order_relaxed);
}

}  // namespace

void Target::drop() {
  // Nobody else has the message whose bytes go there, where it is not among those that wait.
  if (arrival != nullptr && (!arrival->is_coming || arrival->receiver != nullptr)) delete arrival;
  *this = {};
}

// The kernel reads from one place to one place at a time here: of few pieces each is long.
bool copy_by_kernel(int process_id, std::span<const iovec> from, Cursor into) {
  Cursor data(from);
  while (true) {
    const std::span<std::byte> to = into.here(), there = data.here();
    const std::size_t bytes = std::min(to.size(), there.size());
    if (bytes == 0) return true;
    const iovec local{to.data(), bytes}, remote{there.data(), bytes};
    const ssize_t done = process_vm_readv(process_id, &local, 1, &remote, 1, 0);
    if (done <= 0) return false;
    into.advance(static_cast<std::size_t>(done));
    data.advance(static_cast<std::size_t>(done));
  }
}

bool Copying::make(const space::AddressSpace& space, Counts& counts) {
  Cursor into = target.into;
  if (wait::CostModel* const model = wait::CostModel::of_job();
      model != nullptr && from != From::arrival)
    model->copied(source, target.came.bytes);
  switch (from) {
    case From::announcement: {
      Cursor data(announcement->data());
      add(counts.copied, copy(into, data));
      break;
    }
    case From::kernel: {
      const space::RankSlot& slot = space.slot(source);
      const int process = slot.pid.load(std::memory_order_relaxed);
      const std::uint64_t begun_ns = base::now_ns();
      if (!copy_by_kernel(process, announcement->data(), into) ||
          slot.life.load(std::memory_order_acquire) == space::Life::dead)
        return false;  // and another process may have its number
      took_ns = base::now_ns() - begun_ns;
      add(counts.by_kernel, std::min(into.left(), target.came.bytes));
      break;
    }
    case From::arrival:
      add(counts.kept, copy(into, arrival->data));
      break;
  }
  return true;
}

}  // namespace armature::message

#include "virtual/meeting.hpp"

#include <algorithm>

#include "wait/processes.hpp"

namespace armature::fibers {
namespace {

constexpr std::uint64_t step_bits = 8;

/// Grows from meeting to meeting, and from step to step.
std::uint64_t word(std::uint32_t regroup, std::uint32_t number, std::uint32_t step) {
  return (std::uint64_t{regroup & 0xff'ffff} << 40) | (std::uint64_t{number} << step_bits) | step;
}

}  // namespace

Meeting::Meeting(const space::Mapping& mapping, int process, std::uint32_t regroup,
                 std::uint32_t number)
    : mapping_(mapping),
      job_(mapping.header()),
      regroup_(regroup),
      number_(number),
      process_(process) {
  for (int p = 0; p < static_cast<int>(job_.processes); ++p) {
    const space::ProcessSlot& slot = mapping.process_slot(p);
    if (slot.node != job_.node || !slot.belongs(regroup)) continue;
    if (p == process) place_ = members_.size();
    members_.push_back(p);
  }
}

void Meeting::reach(std::uint32_t step) const {
  mapping_.process_slot(process_).step.store(word(regroup_, number_, step),
                                             std::memory_order_release);
}

/// Exactly here: what is left of other meetings does not count.
bool Meeting::has_reached(int process, std::uint32_t step) const {
  const std::uint64_t is = mapping_.process_slot(process).step.load(std::memory_order_acquire);
  const std::uint64_t least = word(regroup_, number_, step);
  return is >> step_bits == least >> step_bits && is >= least;
}

bool Meeting::all_have_passed(std::uint32_t step) const {
  const std::uint64_t least = word(regroup_, number_, step);
  return std::all_of(members_.begin(), members_.end(), [&](int process) {
    const std::uint64_t is = mapping_.process_slot(process).step.load(std::memory_order_acquire);
    return is >= least && is != wait::runs_no_more;  // a member that was killed has not
  });
}

bool Meeting::all_reach(std::uint32_t step) const {
  return wait([&] {
    return std::all_of(members_.begin(), members_.end(),
                       [&](int process) { return has_reached(process, step); });
  });
}

bool Meeting::all_stand() const {
  return wait([&] {
    for (int p = 0; p < static_cast<int>(job_.processes); ++p) {
      const space::ProcessSlot& slot = mapping_.process_slot(p);
      const bool may_run = slot.since.load(std::memory_order_acquire) <= regroup_ &&
                           slot.step.load(std::memory_order_acquire) != wait::runs_no_more;
      if (may_run && !has_reached(p, 1)) return false;
    }
    return true;
  });
}

bool Meeting::others_reach(std::uint32_t step) const {
  return wait([&] {
    return std::all_of(members_.begin() + 1, members_.end(),
                       [&](int process) { return has_reached(process, step); });
  });
}

bool Meeting::leader_reaches(std::uint32_t step) const {
  return wait([&] { return has_reached(members_.front(), step); });
}

bool Meeting::is_broken() const {
  return job_.halt.regroup.load(std::memory_order_acquire) != regroup_ ||
         job_.deaths.load(std::memory_order_acquire) != 0 ||
         job_.through.load(std::memory_order_acquire) >= job_.ranks;
}

Meeting::Share Meeting::share(std::uint64_t end_of_file) const {
  const std::uint64_t ranks = job_.ranks, all = members_.size();
  const std::uint64_t first = ranks * place_ / all, behind = ranks * (place_ + 1) / all;
  return {first * job_.band_bytes, behind == ranks ? end_of_file : behind * job_.band_bytes};
}

}  // namespace armature::fibers

#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "fibers/rank_fiber.hpp"
#include "space/layout.hpp"
#include "space/mapping.hpp"

namespace armature::fibers {

/// A process of virtual ranks, as its scheduler knows it.
struct HostProcess {
  /// `segment_file` is where the segments lie.
  HostProcess(const space::Mapping& mapping, int number, int segment_file);
  HostProcess(const HostProcess&) = delete;
  HostProcess& operator=(const HostProcess&) = delete;

  /// How many processes there are now, and what follows from it.
  void count_processes();
  /// Lets ranks come from other processes, which go on sooner or later than this one. A rank that
  /// came before would be found among those that were arranged to run here, too.
  void open_to_ranks() const;
  [[nodiscard]] bool hosts(int rank) const {
    return mapping.slot(rank).process.load(std::memory_order_relaxed) == number;
  }
  /// RankFiber::of, without its divisions.
  [[nodiscard]] RankFiber& fiber(int rank) const {
    const auto index = static_cast<std::uint64_t>(rank);
    return *std::launder(reinterpret_cast<RankFiber*>(records + index * mapping.segment_bytes() -
                                                      space::stack_shift(index)));
  }

  const space::Mapping& mapping;
  std::byte* const records;  // the first rank's, but for its shift
  const int number, segment_file;
  const int pid, tid;  // of this thread
  space::ProcessSlot& slot;
  bool is_alone = false;  // no other process may notify, nor another thread
  bool notifiers_work = false;
  bool balances = false;    // ranks that are ready go to processes with nothing to do
  bool is_crowded = false;  // more processes than cores
};

/// Whether ranks may go to that process of the node by now.
[[nodiscard]] inline bool takes_ranks(const space::Mapping& mapping, int process) {
  return mapping.process_slot(process).placement_epoch.load(std::memory_order_acquire) ==
         mapping.header().placement_epoch();
}

}  // namespace armature::fibers

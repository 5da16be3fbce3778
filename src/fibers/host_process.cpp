#include "fibers/host_process.hpp"

#include <unistd.h>

#include "wait/more_sharers.hpp"
#include "wait/notifier.hpp"
#include "wait/processes.hpp"

namespace armature::fibers {

HostProcess::HostProcess(const space::Mapping& its_mapping, int its_number, int its_segment_file)
    : mapping(its_mapping),
      records(reinterpret_cast<std::byte*>(&RankFiber::of(mapping, 0)) + space::stack_shift(0)),
      number(its_number),
      segment_file(its_segment_file),
      pid(getpid()),
      tid(gettid()),
      slot(mapping.process_slot(number)) {
  count_processes();
}

void HostProcess::count_processes() {
  const space::ControlHeader& job = mapping.header();
  const std::uint32_t processes = wait::hosting_processes(job);
  // A simulation's fault_model notifies, too, and so does what comes from other nodes.
  const bool has_others = processes > 1 || job.simulation.on != 0 || job.nodes > 1;
  is_alone = !has_others && wait::more_threads_of_rank() == 0;
  notifiers_work = is_alone || wait::notifiers_work();
  // A process that is still to come may not be given ranks.
  balances = job.settings.balance != 0 && has_others &&
             (job.nodes == 1 || job.here.processes > 1) &&
             slot.belongs(job.quiesce.epoch.entered.load(std::memory_order_acquire));
  is_crowded = processes > job.settings.cores;
}

void HostProcess::open_to_ranks() const {
  slot.placement_epoch.store(mapping.header().placement_epoch(), std::memory_order_release);
}

}  // namespace armature::fibers

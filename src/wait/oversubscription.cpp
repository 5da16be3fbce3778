#include "wait/oversubscription.hpp"

#include <algorithm>
#include <cstdint>

#include "base/runtime.hpp"
#include "wait/more_sharers.hpp"
#include "wait/processes.hpp"

namespace armature::wait {
namespace {

/// How many of the job's ranks share a core of this machine.
struct alignas(64) Sharing {
  static constexpr std::size_t runtime_place = 5;

  int spins_before_long = 1;
  bool more_ranks_than_cores = true;
  int threads_here = 0;
  int ranks_here = 0;  // or processes that host virtual ones
  int cores = 0;
  int more_of_rank = 0;  // threads that compute, beside the rank's own
};

void add_more(Sharing& sharing) {
  const int more = sharing.more_of_rank * sharing.ranks_here;
  sharing.threads_here += more;
  if (sharing.more_ranks_than_cores || sharing.ranks_here + more <= sharing.cores) return;
  sharing.more_ranks_than_cores = true;
  sharing.spins_before_long = std::min(sharing.spins_before_long, 4);
}

}  // namespace

int spins() { return base::state<Sharing>().spins_before_long; }
bool cores_are_shared() { return base::state<Sharing>().more_ranks_than_cores; }
int threads_of_job() { return base::state<Sharing>().threads_here; }

void count_sharers(const space::ControlHeader& job) {
  const bool is_virtual = job.ranks_are_virtual != 0;
  // The nodes of `armature run` are pretended: all of them are on this machine.
  const bool has_all = job.launcher.is_there != 0 || job.nodes == 1;
  const std::uint32_t all_processes = is_virtual ? hosting_processes(job) : job.processes;
  const std::uint32_t processes = has_all ? all_processes : job.here.processes;
  const std::uint32_t ranks = has_all ? job.ranks : job.here.ranks;
  const std::uint32_t sharers = is_virtual ? processes : ranks;
  auto& sharing = base::state<Sharing>();
  sharing.more_ranks_than_cores = sharers > job.settings.cores;
  sharing.ranks_here = static_cast<int>(sharers);
  sharing.cores = static_cast<int>(job.settings.cores);
  sharing.threads_here = static_cast<int>(sharers + (job.nodes > 1 ? processes : 0));
  // Another rank of the thread may make the condition true, where several share one.
  const bool threads_are_shared = job.simulation.on != 0 || (is_virtual && ranks > processes);
  // Only the long wait polls the network, and so sees what comes over it.
  const bool must_poll = threads_are_shared || job.nodes > 1;
  sharing.spins_before_long = must_poll ? 1 : (sharing.more_ranks_than_cores ? 4 : 400);
  add_more(sharing);
}

void count_more_sharers(int threads_of_rank) {
  auto& sharing = base::state<Sharing>();
  sharing.more_of_rank = threads_of_rank;
  add_more(sharing);
}

int more_threads_of_rank() { return base::state<Sharing>().more_of_rank; }

}  // namespace armature::wait

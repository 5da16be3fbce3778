#include "world/job.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "bootstrap/environment.hpp"
#include "progress/wait.hpp"
#include "space/job_memory.hpp"
#include "team/team_state.hpp"
#include "topology/cores.hpp"
#include "world/last_words.hpp"

namespace armature {
namespace {

using space::AddressSpace;
using space::Life;

/// Joins with the descriptors that the launcher left open; closes all but the own band's.
AddressSpace& join_launched(const bootstrap::Environment& environment) {
  base::FileDescriptor control_file(environment.control_fd);
  const space::Control control = space::map_control(control_file.get());
  const auto ranks = static_cast<int>(control.header().ranks);
  if (environment.rank >= ranks)
    base::fail(Errc::start,
               fmt::format(
                   "rank {} of a job of {} ranks: {} is set by armature run and must be left alone",
                   environment.rank, ranks, bootstrap::rank_variable));
  std::vector<int> bands;
  for (int r = 0; r < ranks; ++r) bands.push_back(environment.first_band_fd + r);
  // Started by a script: die with it, as it dies with the launcher.
  if (getppid() != control.header().launcher_pid) prctl(PR_SET_PDEATHSIG, SIGKILL);
  AddressSpace& space = AddressSpace::join(environment.rank, control, bands);
  for (int r = 0; r < ranks; ++r)
    if (r != environment.rank) close(bands[static_cast<std::size_t>(r)]);
  fcntl(bands[static_cast<std::size_t>(environment.rank)], F_SETFD, FD_CLOEXEC);
  return space;
}

AddressSpace& join_alone() {
  space::JobOptions options;
  options.cores = static_cast<std::uint32_t>(topology::usable_cores());
  space::JobMemory memory = space::JobMemory::create(options);
  return AddressSpace::join(0, space::map_control(memory.control.get()),
                            {memory.bands[0].release()});
}

/// The last barrier of a job that goes on without its dead: nobody leaves whom others may still
/// need.
void wait_for_survivors(AddressSpace& space) {
  progress::WaitFor wait{.what = space::Awaiting::exit, .rings = false, .call = "finalize"};
  progress::wait_until(wait, [&] {
    for (int r = 0; r < space.ranks(); ++r) {
      const Life life = space.slot(r).life.load(std::memory_order_acquire);
      if (life == Life::starting || life == Life::running) return false;
    }
    return true;
  });
}

}  // namespace

Job::Job() {
  bootstrap::Environment environment;
  const bool launched = bootstrap::Environment::take(environment);
  base::set_message_rank(launched ? environment.rank : 0);
  AddressSpace& space = launched ? join_launched(environment) : join_alone();
  space::RankSlot& slot = space.slot(space.me());
  slot.pid.store(getpid(), std::memory_order_relaxed);
  detail::install_last_words(slot, space.me(), launched);
  progress::start_waiting();
  context_ = std::make_unique<progress::RankContext>(space);
  progress::set_this_rank(context_.get());
  Team all(std::make_shared<detail::TeamState>(space, space.world_block(), space.me()));
  world_ = std::make_unique<World>(std::move(all));
  slot.life.store(Life::running, std::memory_order_release);
}

void Job::leave() {
  AddressSpace& space = context_->space;
  space::RankSlot& slot = space.slot(space.me());
  slot.life.store(Life::leaving, std::memory_order_release);
  try {
    world_->barrier();
  } catch (const Error& error) {
    if (error.code() != Errc::rank_lost) throw;
    wait_for_survivors(space);
  }
  slot.life.store(Life::finished, std::memory_order_release);
}

Job::~Job() {
  world_.reset();
  progress::set_this_rank(nullptr);
  context_->space.leave();
}

}  // namespace armature

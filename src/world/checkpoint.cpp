#include "armature/checkpoint.hpp"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "armature/collectives.hpp"
#include "armature/future.hpp"
#include "armature/rmi.hpp"
#include "armature/world.hpp"
#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "bootstrap/environment.hpp"
#include "checkpoint/folder.hpp"
#include "migration/addresses.hpp"
#include "wait/processes.hpp"
#include "wait/rank_context.hpp"
#include "wait/wait.hpp"
#include "world/change_nodes.hpp"
#include "world/gather_first.hpp"
#include "world/periodic_tasks.hpp"
#include "world/restart.hpp"
#include "world/world_of.hpp"

namespace armature {
namespace {

struct Wanted {
  const char* call;
  space::KeptIn where;
  std::string directory;
  std::optional<bool> incremental;  // none: as the job's setting is
};

std::string directory_or_default(const std::string& directory) {
  const char* const given = std::getenv("ARMATURE_CHECKPOINT");
  std::string chosen = !directory.empty() ? directory : given != nullptr ? given : "";
  if (chosen.empty())
    base::fail(Errc::bad_argument,
               "checkpoint: no directory is given, neither here nor by armature run --checkpoint");
  // A restart names it from the root on, and so does this; there, links are other names of it, too.
  std::error_code error;
  const std::size_t bytes = std::filesystem::absolute(chosen, error).string().size();
  if (bytes > space::KeptFolder::directory_max)
    base::fail(Errc::bad_argument,
               fmt::format("checkpoint: the name of the directory has {} bytes from the root on, "
                           "and may have {}: {}",
                           bytes, space::KeptFolder::directory_max, chosen));
  return chosen;
}

/// nullptr: they can be written.
const char* why_not_write(const space::ControlHeader& job, const char* call) {
  if (job.ranks_are_virtual == 0)
    return "only virtual ranks can be written (armature run --virtual); can_checkpoint() tells";
  wait::WaitFor wait{.what = space::Awaiting::completion, .is_notified = false, .call = call};
  wait::wait_until(wait, [&] { return job.all_have_joined(); });
  return migration::why_not_write(job);
}

/// Takes the turn, by one rank: from now on nobody else asks for one. Returns its number.
std::uint32_t take_turn(space::QuiesceState& quiesce, const char* call) {
  wait::WaitFor wait{.what = space::Awaiting::completion, .is_notified = false, .call = call};
  wait::wait_until(wait, [&] { return quiesce.ask_for(space::Asked::checkpoint); });
  return quiesce.over.load(std::memory_order_acquire) + 1;
}

struct Incremental {  // unless the program says otherwise
  bool is_set = std::getenv(bootstrap::incremental_variable) != nullptr;
};

bool is_incremental(const Wanted& wanted, const space::QuiesceState& quiesce) {
  return wanted.incremental.value_or(quiesce.incremental.is_setting != 0 ||
                                     base::state<Incremental>().is_set);
}

/// How often ranks have gone on from an earlier state. Two numbers, not their sum: a restart counts
/// recoveries from none again.
struct Returns {
  std::uint32_t restarts, recoveries;
  bool operator==(const Returns&) const = default;
};
Returns returns(const space::QuiesceState& quiesce) {
  return {quiesce.restarts, quiesce.epoch.recoveries.load(std::memory_order_relaxed)};
}

void ask(space::ControlHeader& job, const Wanted& wanted, std::uint32_t number) {
  std::memcpy(job.quiesce.folder.directory, wanted.directory.c_str(), wanted.directory.size() + 1);
  job.quiesce.where.store(wanted.where, std::memory_order_relaxed);
  job.quiesce.incremental.is_wanted.store(is_incremental(wanted, job.quiesce) ? 1 : 0,
                                          std::memory_order_relaxed);
  job.quiesce.wanted.store(number, std::memory_order_release);
  wait::wake_processes({reinterpret_cast<std::byte*>(&job)});
}

/// Whether all have gone on from there; throws where it could not be.
bool outcome(const space::QuiesceState& quiesce, std::uint32_t number, const Returns& before,
             const char* call) {
  if (returns(quiesce) != before) return true;
  if (quiesce.failed.load(std::memory_order_relaxed) == number)
    base::fail(Errc::corrupt, fmt::format("{}: {}", call, quiesce.problem));
  return false;
}

/// Known to rank 0. Empty when all ranks can be written.
std::string who_cannot_be_written(const World& world, space::Tie mine) {
  const std::vector<space::Tie> ties = hosting::gather_first(world, mine);
  for (std::size_t rank = 0; rank < ties.size(); ++rank)
    if (ties[rank] != space::Tie::none)
      return fmt::format("rank {} {}, which cannot be written", rank, space::text(ties[rank]));
  return {};
}

/// Called by rank 0; the others learn whether there is one.
std::string make_folder(const World& world, space::Tie tie, const Wanted& wanted) {
  std::string folder, problem = who_cannot_be_written(world, tie);
  try {
    if (world.rank() == 0 && problem.empty()) folder = checkpoints::make_folder(wanted.directory);
  } catch (const Error& error) {
    problem = error.what();
  }
  problem.resize(static_cast<std::size_t>(broadcast(world, std::ssize(problem), 0)));
  broadcast<char>(world, problem, 0);
  if (!problem.empty()) base::fail(Errc::corrupt, fmt::format("{}: {}", wanted.call, problem));
  return folder;
}

bool write_on_nodes(const wait::RankContext& me, const Wanted& wanted) {
  const World& world = hosting::world_of(me);
  const space::QuiesceState& quiesce = me.space.header().quiesce;
  const Returns before = returns(quiesce);
  hosting::Destination to{wanted.where, {}, false};
  if (wanted.where == space::KeptIn::folder) {
    to.folder = make_folder(world, me.tie(), wanted);
    to.is_incremental = is_incremental(wanted, quiesce);
  }
  return outcome(quiesce, hosting::write_on_nodes(world, to, wanted.call), before, wanted.call);
}

bool quiesce_all(const wait::RankContext& me, const Wanted& wanted) {
  space::ControlHeader& job = me.space.header();
  if (const char* why = why_not_write(job, wanted.call))
    base::fail(Errc::misuse, fmt::format("{}: {}", wanted.call, why));
  const World& world = hosting::world_of(me);
  if (job.nodes > 1) return write_on_nodes(me, wanted);
  rmi_fence();
  space::QuiesceState& quiesce = job.quiesce;
  const Returns before = returns(quiesce);
  const bool asks = me.space.me() == 0;
  // Everybody knows the number before the first process stands.
  const std::uint32_t number = broadcast(world, asks ? take_turn(quiesce, wanted.call) : 0, 0);
  world.barrier();
  if (asks) ask(job, wanted, number);
  const auto reached = [number](const std::atomic<std::uint32_t>& count) {
    return static_cast<std::int32_t>(count.load(std::memory_order_acquire) - number) >= 0;
  };
  wait::WaitFor wait{
      .what = space::Awaiting::completion, .is_notified = false, .call = wanted.call};
  wait::wait_until(wait, [&] {
    return reached(quiesce.over) || job.gone.deaths.load(std::memory_order_acquire) != 0;
  });
  if (!reached(quiesce.over))
    base::fail(Errc::rank_lost, fmt::format("{}: a rank has died", wanted.call));
  return outcome(quiesce, number, before, wanted.call);
}

}  // namespace

bool checkpoint(const std::string& directory, const CheckpointOptions& options) {
  constexpr const char* call = "checkpoint";
  const wait::RankContext& me = wait::this_rank(call);
  const space::QuiesceState& quiesce = me.space.header().quiesce;
  const Returns before = returns(quiesce);
  hosting::Due due{.checkpoint = true};
  if (options.when_due)
    due = hosting::due_checkpoints(hosting::world_of(me), call);
  else
    (void)hosting::restart_if_wanted(hosting::world_of(me), call);
  // True in other processes, which know nothing of the files of those before, as after a restart.
  bool is_anew = returns(quiesce) != before;
  if (due.copy) is_anew = checkpoint_in_memory() || is_anew;
  if (!due.checkpoint) return is_anew;
  return quiesce_all(me, {call, space::KeptIn::folder, directory_or_default(directory),
                          options.incremental}) ||
         is_anew;
}

bool checkpoint(const CheckpointOptions& options) { return checkpoint({}, options); }

bool can_checkpoint() {
  constexpr const char* call = "can_checkpoint";
  return why_not_write(wait::this_rank(call).space.header(), call) == nullptr;
}

bool checkpoint_in_memory() {
  constexpr const char* call = "checkpoint_in_memory";
  const wait::RankContext& me = wait::this_rank(call);
  if (me.space.header().settings.keeps_copies == 0) return false;
  return quiesce_all(me, {call, space::KeptIn::memory, {}, {}});
}

}  // namespace armature

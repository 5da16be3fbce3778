#include "world/restart.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "armature/collectives.hpp"
#include "armature/error.hpp"
#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/message.hpp"
#include "base/runtime.hpp"
#include "bootstrap/environment.hpp"
#include "checkpoint/folder.hpp"
#include "migration/addresses.hpp"
#include "wait/rank_context.hpp"
#include "world/change_nodes.hpp"
#include "world/change_processes.hpp"
#include "world/requests.hpp"

namespace armature::hosting {
namespace {

using space::Restart;

constexpr std::uint64_t look_ns = 100'000'000;

bool may_be_restarted(const space::ControlHeader& job) {
  return job.nodes > 1 && job.ranks_are_virtual != 0;
}

bool is_launched(const space::ControlHeader& job) { return job.launcher.is_there != 0; }

/// Called by all ranks.
void tell_problem(const World& world, const space::Mapping& mapping, const Requests& requests,
                  const std::string& problem) {
  const std::string what(base::without_start(problem));
  if (!is_launched(mapping.header())) return answer_requests(mapping, world.rank(), requests, what);
  if (world.rank() != 0) return;
  space::Resize& resize = mapping.header().resize;
  base::copy_text(resize.problem, what);
  // Release: who sees it reads why.
  resize.restart.store(Restart::failed, std::memory_order_release);
}

/// Called by rank 0. The launcher, which sleeps until then, looks at once.
bool take_wish_of_launcher(space::ControlHeader& job) {
  std::atomic<Restart>& restart = job.resize.restart;
  Restart wanted = Restart::wanted;
  const bool is_wanted =
      restart.load(std::memory_order_relaxed) == wanted &&
      restart.compare_exchange_strong(wanted, Restart::begun, std::memory_order_acq_rel);
  if (is_wanted && job.launcher.is_there != 0) kill(job.launcher.pid, SIGCHLD);
  return is_wanted;
}

/// Found by rank 0, and known to all then.
struct Begun {
  std::string folder;    // where ranks are to be written; empty: they are not
  std::string problem;   // why not, where they should be
  ProcessChange change;  // and no more; rank 0 alone knows which
  bool changes_processes = false;

  void share(const World& world) {
    const bool is_change = !change.leaving.empty() || !change.coming.empty();
    changes_processes = broadcast<std::uint8_t>(world, is_change ? 1 : 0, 0) != 0;
    if (changes_processes) return;
    std::string& text = problem.empty() ? folder : problem;
    const std::int64_t bytes = problem.empty() ? std::ssize(folder) : -std::ssize(problem);
    const std::int64_t told = broadcast(world, bytes, 0);
    std::string& theirs = told < 0 ? problem : folder;
    if (world.rank() != 0) theirs.resize(static_cast<std::size_t>(std::abs(told)));
    broadcast<char>(world, world.rank() == 0 ? text : theirs, 0);
  }
};

/// By rank 0. The launcher says who leaves or comes, and says nothing else while that has begun.
ProcessChange take_change(const space::Mapping& mapping) {
  space::ControlHeader& job = mapping.header();
  ProcessChange all;
  Restart change = Restart::change;
  if (job.resize.restart.load(std::memory_order_relaxed) != change ||
      !job.resize.restart.compare_exchange_strong(change, Restart::begun,
                                                  std::memory_order_acq_rel))
    return all;
  const std::uint32_t reconfigured = job.quiesce.epoch.entered.load(std::memory_order_acquire);
  for (int process = 0; process < static_cast<int>(job.processes); ++process) {
    const space::ProcessSlot& slot = mapping.process_slot(process);
    using Change = space::ProcessSlot::Change;
    // A change that was asked for may have been made already.
    const Change change_of = slot.is_to_change.load(std::memory_order_acquire);
    if (change_of == Change::leave && slot.belongs(reconfigured)) all.leaving.push_back(process);
    if (change_of == Change::come && slot.is_to_come()) all.coming.push_back(process);
  }
  // If that fails, or all roll back meanwhile, the launcher asks again. Unless it has already.
  Restart begun = Restart::begun;
  job.resize.restart.compare_exchange_strong(begun, Restart::none, std::memory_order_acq_rel);
  return all;
}

Begun begin(const space::Mapping& mapping, const Requests& requests) {
  const space::ControlHeader& job = mapping.header();
  Begun begun;
  try {
    if (requests.processes > job.ranks)
      base::fail(Errc::bad_argument, "there are fewer ranks than processes are wanted");
    if (const char* const why = migration::why_not_restart(job)) base::fail(Errc::misuse, why);
    begun.folder = checkpoints::make_folder(std::getenv(bootstrap::resize_variable));
    write_requests(mapping, requests, begun.folder);
  } catch (const Error& error) {
    if (!begun.folder.empty()) checkpoints::abandon(begun.folder);
    begun = {.folder = {}, .problem = error.what()};
  }
  return begun;
}

/// Nobody is left to take the ranks.
void end_as_asked() {
  std::signal(SIGTERM, SIG_DFL);
  kill(getpid(), SIGTERM);
}

/// Empty, where it returns in other processes.
std::string write(const World& world, const std::string& folder, const char* call) {
  const space::QuiesceState& quiesce = wait::mapping(call).header().quiesce;
  const std::uint32_t restarts = quiesce.restarts;
  try {
    (void)write_on_nodes(
        world, {space::KeptIn::next_start, world.rank() == 0 ? folder : std::string()}, call);
    return quiesce.restarts != restarts ? std::string() : std::string(quiesce.problem);
  } catch (const Error& error) {
    if (world.rank() == 0) checkpoints::abandon(folder);
    return error.what();
  }
}

struct MayBeAnew {
  bool may_be = std::getenv(bootstrap::resize_variable) != nullptr;
};

}  // namespace

bool is_time_to_look(const space::Mapping& mapping) {
  space::ControlHeader& job = mapping.header();
  space::Resize& resize = job.resize;
  if (!may_be_restarted(job)) return false;
  if (resize.has_met.load(std::memory_order_relaxed) == 0) return true;  // all note that they meet
  if (is_launched(job)) {
    const Restart anew = resize.restart.load(std::memory_order_relaxed);
    return anew == Restart::wanted || anew == Restart::change;
  }
  const std::uint64_t now_ns = base::now_ns();
  if (now_ns - resize.looked_ns.load(std::memory_order_relaxed) < look_ns) return false;
  resize.looked_ns.store(now_ns, std::memory_order_relaxed);
  return base::state<MayBeAnew>().may_be;
}

bool restart_if_wanted(const World& world, const char* call) {
  const space::Mapping& mapping = wait::mapping(call);
  space::ControlHeader& job = mapping.header();
  if (!may_be_restarted(job)) return false;
  job.resize.has_met.store(1, std::memory_order_relaxed);
  const Requests requests = is_launched(job) ? Requests() : gather_requests(world, call);
  if (requests.are_there()) {
    if (requests.processes == requests.hosting.size() && requests.leaving.empty()) {
      answer_requests(mapping, world.rank(), requests, {});
      return false;
    }
    if (requests.leaving.size() >= requests.hosting.size()) end_as_asked();
  }
  Begun begun;
  const bool is_wanted =
      is_launched(job) ? world.rank() == 0 && take_wish_of_launcher(job) : requests.are_there();
  if (world.rank() == 0 && is_wanted) begun = begin(mapping, requests);
  if (world.rank() == 0 && is_launched(job) && !is_wanted) begun.change = take_change(mapping);
  begun.share(world);
  if (begun.changes_processes) begun.problem = change_processes(world, begun.change, call);
  if (!begun.folder.empty()) begun.problem = write(world, begun.folder, call);
  if (!begun.problem.empty()) tell_problem(world, mapping, requests, begun.problem);
  return !begun.folder.empty() && begun.problem.empty();
}

}  // namespace armature::hosting

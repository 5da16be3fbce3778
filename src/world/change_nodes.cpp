// Ranks go to other nodes when all ranks of the job are in one call together. Then nothing of
// theirs is on its way. What lies on a node rather than in a segment (rings between ranks of two
// nodes, blocks of teams) can be made anew. See docs/internals/virtual.md.
#include "world/change_nodes.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "armature/collectives.hpp"
#include "armature/handle.hpp"
#include "armature/rmi.hpp"
#include "armature/virtual.hpp"
#include "base/fail.hpp"
#include "checkpoint/folder.hpp"
#include "checkpoint/parts_of_nodes.hpp"
#include "collective/engine.hpp"
#include "elastic/process_quiesce.hpp"
#include "fibers/rank_scheduler.hpp"
#include "layer/work.hpp"
#include "message/messages.hpp"
#include "quiesce/plan.hpp"
#include "rmi/endpoint.hpp"
#include "team/renewal.hpp"
#include "team/team_state.hpp"
#include "wait/processes.hpp"
#include "wait/rank_context.hpp"
#include "wait/wait.hpp"
#include "world/gather_first.hpp"

namespace armature::hosting {
namespace {

/// Processes of a node have been compared as they joined.
void require_like_nodes(const World& world, const space::ControlHeader& job, const char* call) {
  const std::uint64_t mine = job.alike.addresses.load(std::memory_order_acquire);
  const bool are_alike = broadcast(world, mine, 0) == mine;
  if (allreduce<int>(world, are_alike ? 1 : 0, std::multiplies<>()) != 0) return;
  base::fail(Errc::misuse, fmt::format("{}: code or data lie at different addresses on the nodes "
                                       "of this job: ranks stay where they are",
                                       call));
}

/// All that ranks have sent each other has come, and has been taken in. Calls are over.
void finish(const World& world, wait::RankContext& me) {
  message::Messages::Renewal(message::messages_of(me)).settle("migrate");
  world.barrier();  // what was put is there, and the bytes of all rings are where they are read
  me.deliver();
  world.barrier();
}

/// Afterwards nobody has anything on this node that is not in the rank's own segment.
void let_go(const World& world, wait::RankContext& me, detail::TeamState& all) {
  rmi::Endpoint& calls = rmi::this_endpoint("migrate");
  message::Messages::Renewal(message::messages_of(me)).forget_rings();
  calls.inbox().forget_channels();
  calls.fences().forget_teams();
  world.barrier();
  message::Messages::Renewal(message::messages_of(me)).close_rings();
  calls.outbox().close_channels();
  team::let_go(me);
  world.barrier();
  all.let_go();
}

void await(const space::QuiesceState& quiesce, std::uint32_t number, const char* call) {
  wait::WaitFor wait{.what = space::Awaiting::completion, .is_notified = false, .call = call};
  // It may be further where all have rolled back meanwhile.
  wait::wait_until(wait, [&] {
    const std::uint32_t over = quiesce.over.load(std::memory_order_acquire);
    return static_cast<std::int32_t>(over - number) >= 0;
  });
}

/// `what` by rank 0 alone.
std::uint32_t quiesce_together(const World& world, quiesce::Plan what, const char* call) {
  wait::RankContext& me = wait::this_rank(call);
  space::ControlHeader& job = me.space.header();
  detail::TeamState& all = world.checked(call);
  require_like_nodes(world, job, call);
  rmi_fence();
  wait_all();
  // Records that handlers sent from now on would come when rings are gone.
  const layers::Work::Held records_wait(layers::this_work(call));
  const collective::Engine::Held collectives_wait(collective::this_engine(call));
  finish(world, me);
  // On several nodes nobody else asks for anything for which all quiesce.
  const std::uint32_t number = job.quiesce.over.load(std::memory_order_acquire) + 1;
  let_go(world, me, all);
  what.number = number;
  if (me.space.me() == 0) quiesce::announce(me.space, what);
  // Release: whoever sees all ready sees that they have let go. Processes may sleep whose ranks
  // have been ready for long, or that have none.
  if (job.quiesce.ready.fetch_add(1, std::memory_order_acq_rel) + 1 == job.here.ranks)
    wait::wake_processes({reinterpret_cast<std::byte*>(&job)});
  await(job.quiesce, number, call);
  // In a job that was restarted they may be on one node now.
  all.meet_again(me.space.world_block());
  team::meet_again(me);
  world.barrier();
  return number;
}

/// Says from which checkpoint this one may go on, if from one, as far as rank 0 knows.
void go_on_from_last(const World& world, const wait::RankContext& me, const Destination& to,
                     quiesce::Plan& what) {
  const int rank = me.space.me();
  const bool is_incremental = rank == 0 && to.is_incremental;
  if (broadcast<std::uint8_t>(world, is_incremental ? 1 : 0, 0) == 0) return;
  const auto& scheduler = *static_cast<fibers::RankScheduler*>(me.scheduler);
  const auto& process = static_cast<const elastic::ProcessQuiesce&>(scheduler.body());
  const auto last = gather_first(world, process.kept_of(rank));
  if (rank != 0 || !std::ranges::all_of(last, [&](std::uint64_t one) { return one == last[0]; }))
    return;
  what.goes_on_from = last[0];
  what.changed_since = checkpoints::goes_on_from(what.directory, last[0]);
}

}  // namespace

void change_nodes(const World& world, std::span<const int> processes, const char* call) {
  change_nodes(world, processes, {}, call);
}

void change_nodes(const World& world, std::span<const int> processes, const ProcessChange& change,
                  const char* call) {
  const auto requests = [call]() -> std::atomic<std::uint32_t>& {
    return wait::mapping(call).header().quiesce.requests;
  };
  // Requests that nobody has looked at yet go along with rank 0.
  const std::uint32_t unseen = world.rank() == 0 ? requests().exchange(0) : 0;
  try {
    const std::uint32_t number = quiesce_together(
        world, {.processes = processes, .leaving = change.leaving, .coming = change.coming}, call);
    const space::QuiesceState& quiesce = wait::mapping(call).header().quiesce;
    if (quiesce.failed.load(std::memory_order_relaxed) == number)
      base::fail(Errc::out_of_memory,
                 fmt::format("{}: {}: all ranks stay", call, std::string_view(quiesce.problem)));
  } catch (...) {
    requests().fetch_add(unseen);
    throw;
  }
  if (unseen != 0) requests().fetch_add(unseen);
}

std::uint32_t write_on_nodes(const World& world, const Destination& to, const char* call) {
  const wait::RankContext& me = wait::this_rank(call);
  const space::Mapping& mapping = wait::mapping(call);
  // Each says where it is: on other nodes that is not known.
  const std::vector<int> processes =
      gather_first(world, int{mapping.slot(world.rank()).process.load(std::memory_order_relaxed)});
  quiesce::Plan what{.processes = processes,
                     .where = to.where,
                     .directory = std::filesystem::path(to.folder).parent_path().string(),
                     .folder_number = checkpoints::number_of_folder(to.folder),
                     .is_incremental = to.is_incremental};
  if (!to.folder.empty()) what.id = checkpoints::new_id();  // on rank 0
  if (to.where == space::KeptIn::folder) go_on_from_last(world, me, to, what);
  return quiesce_together(world, what, call);
}

bool go_to(int process) {
  try {
    migrate(ProcessId(process));
  } catch (const Error& error) {
    if (error.code() == Errc::out_of_memory) return false;
    if (error.code() != Errc::bad_argument) throw;
  }
  return true;
}

}  // namespace armature::hosting

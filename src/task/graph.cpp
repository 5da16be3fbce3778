// All members describe all tasks, so each knows who needs what of its data, and nobody asks for
// anything. That costs every member some tens of nanoseconds for each task of the others.
#include "armature/task/graph.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "armature/collectives.hpp"
#include "armature/collectives_async.hpp"
#include "armature/detail/agree.hpp"
#include "armature/operators.hpp"
#include "armature/rmi.hpp"
#include "armature/task/parallel_task.hpp"

namespace armature {

namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15;
  return hash ^ (hash >> 32);
}

}  // namespace

struct task_graph::Counts {
  std::uint64_t least_spawned, least_hash;
  std::uint64_t opposite_spawned, opposite_hash;  // complements, whose least is the greatest
};

task_graph::task_graph(const Team& team)
    : part_(std::make_unique<shared<detail::TaskPart>>(team, team)),
      exceptions_(std::uncaught_exceptions()) {
  part().set_self(part_->ref());
  team.barrier();  // nobody calls a part that does not know itself yet
}

task_graph::~task_graph() {
  if (std::uncaught_exceptions() != exceptions_ || part().engine().is_abandoned()) return;
  try {
    wait();
  } catch (...) {  // NOLINT: the program has not asked
  }
}

std::uint64_t task_graph::begin(int member, std::span<const Named> named) {
  if (part().engine().runs_task())
    throw Error(Errc::misuse, "task_graph::spawn: a task may not spawn tasks of its own graph");
  require_use("task_graph::spawn");
  if (member < 0 || member >= team().size())
    throw Error(Errc::bad_rank, "task_graph::spawn_on: there is no member " +
                                    std::to_string(member) + " in a team of " +
                                    std::to_string(team().size()));
  for (std::size_t i = 0; i < named.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (named[i].space == named[j].space && named[i].index == named[j].index &&
          (named[i].is_written || named[j].is_written))
        throw Error(Errc::bad_argument, "task_graph::spawn: task " + std::to_string(spawned_) +
                                            " names item " + std::to_string(named[i].index) +
                                            " twice, and writes it");
  hash_ = mix(hash_, static_cast<std::uint64_t>(member) << 1 | (may_be_stolen_ ? 1 : 0));
  for (const Named& one : named)
    hash_ = mix(hash_, mix(std::uint64_t{one.space} << 1 | (one.is_written ? 1 : 0), one.index));
  return spawned_++;
}

void task_graph::limit_unfinished() {
  detail::TaskEngine& engine = part().engine();
  if (engine.unfinished() <= unfinished_max) return;
  engine.run_until([&engine] { return engine.unfinished() <= unfinished_max / 4 * 3; },
                   "task_graph::spawn");
}

void task_graph::require_use(const char* call) const {
  part().engine().require_members();
  if (part().engine().is_abandoned())
    throw Error(Errc::misuse, std::string(call) +
                                  ": members have spawned different tasks before, or an exception "
                                  "has ended data of the graph or what it sends");
}

void task_graph::require_same(const Counts& counts) const {
  if (counts.least_spawned == ~counts.opposite_spawned &&
      counts.least_hash == ~counts.opposite_hash)
    return;
  part().engine().abandon();
  const std::string here = "; here " + std::to_string(spawned_);
  if (counts.least_spawned != ~counts.opposite_spawned)
    throw Error(Errc::misuse, "task_graph::wait: members have spawned " +
                                  std::to_string(counts.least_spawned) + " to " +
                                  std::to_string(~counts.opposite_spawned) + " tasks" + here);
  throw Error(Errc::misuse, "task_graph::wait: members have spawned " + std::to_string(spawned_) +
                                " tasks each, but not the same ones");
}

void task_graph::wait() {
  constexpr const char* name = "task_graph::wait";
  detail::TaskEngine& engine = part().engine();
  if (engine.runs_task())
    throw Error(Errc::misuse, "task_graph::wait: a task may not wait for its own graph");
  require_use(name);
  auto counts = std::make_unique<Counts>(Counts{spawned_, hash_, ~spawned_, ~hash_});
  // Others may need what this member is to run first.
  Handle compared = allreduce_async(team(), std::span(&counts->least_spawned, 4), Minimum());
  Handle all_are_done;
  bool is_compared = false;
  try {
    engine.run_until(
        [&] {
          is_compared = is_compared || compared.test();
          if (is_compared) require_same(*counts);
          return is_compared && engine.unfinished() == 0;
        },
        name);
    if (may_be_stolen_) {
      // Others may have tasks for this member until all of theirs are done.
      all_are_done = barrier_async(team());
      engine.run_until([&] { return all_are_done.test(); }, name);
    }
  } catch (const Error& error) {
    // Members that heard of the death before take no part in these any more: a destructor would
    // wait for them for ever. So both are left, with what the first one writes.
    if (error.code() == Errc::rank_lost) {
      (void)all_are_done.release();
      if (compared.release() != nullptr) (void)counts.release();
    }
    throw;
  }
  rmi_fence(team());  // nobody sends any more
  detail::agree(team(), name, engine.take_failure());
}

task_stealing_counts task_graph::stealing() const {
  return part().has_stealing() ? part().stealing().counts() : task_stealing_counts();
}

void execute(const Team& team, parallel_task& task) {
  task.team_ = team;
  task.execute();
  rmi_fence(team);
}

}  // namespace armature

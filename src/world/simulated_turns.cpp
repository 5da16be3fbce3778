#include "world/simulated_turns.hpp"

#include <ctime>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engines/sim/turn_engine.hpp"
#include "engines/sim/turns.hpp"
#include "failure/crash_report.hpp"
#include "failure/losses.hpp"
#include "simulation/simulator.hpp"
#include "wait/processes.hpp"

namespace armature {
namespace {

using transport::sim::Turns;

std::string waits_here() {
  return simulation::say_waits(*space::Mapping::of_process(), Turns::of_process()->process());
}

/// Ranks may wait after deaths for the launcher to end the job, which has a clock of its own.
void end_stalled(int status, const char* text) {
  constexpr timespec patience{5, 0};
  if (space::Mapping::of_process()->header().simulation.deaths != 0) nanosleep(&patience, nullptr);
  failure::die(status, text);
}

// These act for the launcher of a job that runs.

space::Control block(const space::Mapping& mapping) {
  return {reinterpret_cast<std::byte*>(&mapping.header())};
}

std::vector<int> alive() {
  const Turns& turns = *Turns::of_process();
  std::vector<int> alive;
  for (int process = 0; process < turns.processes(); ++process)
    if (turns.killed_ns(process) == 0) alive.push_back(process);
  return alive;
}

/// One that was killed as it came, and has run no rank.
void do_without(int process) {
  const space::Mapping& mapping = *space::Mapping::of_process();
  space::QuiesceState& quiesce = mapping.header().quiesce;
  const std::uint32_t next = quiesce.epoch.wanted.load(std::memory_order_relaxed);
  if (mapping.header().nodes == 1 && mapping.process_slot(process).belongs(next))
    wait::reconfigure(block(mapping), space::Reconfiguration::spread, std::span(&process, 1), {});
}

/// On several nodes: it has ended without having been of the job.
bool never_came(const space::ProcessSlot& slot) {
  return slot.has_left() && slot.leaves.load(std::memory_order_acquire) == 0;
}

/// The launcher ends the job where there is no copy.
bool tell_of_death(int process) {
  const space::Mapping& mapping = *space::Mapping::of_process();
  const space::ControlHeader& job = mapping.header();
  const space::ProcessSlot& slot = mapping.process_slot(process);
  if (slot.node != job.node) return true;
  if (never_came(slot)) return true;
  // Told already, or it was about to leave, and has no rank any more; or the launcher knows that
  // nobody needs it.
  if (slot.step.load(std::memory_order_acquire) == wait::runs_no_more) {
    do_without(process);
    return true;
  }
  if (job.nodes == 1) {
    if (job.quiesce.copy.load(std::memory_order_acquire) == 0) return false;
  }
  wait::roll_back_without(block(mapping), process, alive());
  return true;
}

bool death_is_seen(int process) {
  const space::Mapping& mapping = *space::Mapping::of_process();
  return mapping.process_slot(process).joined.load(std::memory_order_acquire) ==
         transport::sim::seen_dead;
}

bool is_killed(int process) { return Turns::of_process()->killed_ns(process) != 0; }
bool has_ended(int process) { return Turns::of_process()->has_ended(process); }

void say(int process, const char* what) {
  const space::ControlHeader& job = space::Mapping::of_process()->header();
  failure::say_line(fmt::format("process {} has {}: ranks are in {} processes now", process, what,
                                wait::hosting_processes(job)));
}

/// The change that was asked for is done.
bool note_change(int process, const char* what) {
  space::QuiesceState& quiesce = space::Mapping::of_process()->header().quiesce;
  if (quiesce.asked.load(std::memory_order_relaxed) == space::Asked::reconfiguration &&
      !is_killed(process))
    say(process, what);
  quiesce.ask_no_more_for(space::Asked::reconfiguration);
  return true;
}

/// The last one stays.
bool let_leave(int process) {
  const space::Mapping& mapping = *space::Mapping::of_process();
  space::ControlHeader& job = mapping.header();
  if (job.all_have_finished()) return true;
  if (job.quiesce.is_to_reconfigure()) return false;
  const space::ProcessSlot& slot = mapping.process_slot(process);
  const std::uint32_t now = job.quiesce.epoch.entered.load(std::memory_order_acquire);
  if (!slot.belongs(now)) return note_change(process, "left");
  if (wait::hosting_processes(job) == 1) return true;
  if (job.quiesce.ask_for(space::Asked::reconfiguration))
    wait::reconfigure(block(mapping), space::Reconfiguration::spread, std::span(&process, 1), {});
  return false;
}

/// It has been started, and looks on until then.
bool let_come(int process) {
  const space::Mapping& mapping = *space::Mapping::of_process();
  space::ControlHeader& job = mapping.header();
  if (job.all_have_finished()) return true;
  if (job.quiesce.is_to_reconfigure()) return false;
  const std::uint32_t now = job.quiesce.epoch.entered.load(std::memory_order_acquire);
  if (mapping.process_slot(process).since.load(std::memory_order_acquire) <= now)
    return note_change(process, "come");
  if (is_killed(process)) return true;
  if (job.quiesce.ask_for(space::Asked::reconfiguration))
    wait::reconfigure(block(mapping), space::Reconfiguration::spread, {}, std::span(&process, 1));
  return false;
}

// On several nodes each process tells its own node, which the launcher does with all at once. Ranks
// see to it when they next meet (world/restart.cpp).

using Change = space::ProcessSlot::Change;

/// Whether this process is the first of the job, as far as its node knows.
bool is_first(const space::Mapping& mapping) {
  const std::uint32_t now = mapping.header().quiesce.epoch.entered.load(std::memory_order_acquire);
  int first = 0;
  while (first < static_cast<int>(mapping.header().processes) &&
         !mapping.process_slot(first).belongs(now))
    ++first;
  return first == Turns::of_process()->process();
}

void want(const space::Mapping& mapping, int process, Change change) {
  std::atomic<space::Restart>& restart = mapping.header().resize.restart;
  space::Restart none = space::Restart::none;
  mapping.process_slot(process).is_to_change.store(change, std::memory_order_relaxed);
  // Release: who sees it sees who changes.
  restart.compare_exchange_strong(none, space::Restart::change, std::memory_order_acq_rel);
}

bool want_no_more(const space::Mapping& mapping, int process) {
  mapping.process_slot(process).is_to_change.store(Change::none, std::memory_order_relaxed);
  return true;
}

/// Ranks have found that it cannot be, and say why.
bool is_refused(const space::Mapping& mapping, int process) {
  space::Resize& resize = mapping.header().resize;
  space::Restart failed = space::Restart::failed;
  if (!resize.restart.compare_exchange_strong(failed, space::Restart::none)) return false;
  failure::say_line(fmt::format("process {}: {}", process, std::string(resize.problem)));
  return true;
}

/// Each node keeps one.
bool is_last_of_node(const space::Mapping& mapping, int process) {
  const std::uint32_t now = mapping.header().quiesce.epoch.entered.load(std::memory_order_acquire);
  for (int other = 0; other < static_cast<int>(mapping.header().processes); ++other)
    if (const space::ProcessSlot& slot = mapping.process_slot(other);
        other != process && slot.belongs(now) && slot.node == mapping.process_slot(process).node)
      return false;
  return true;
}

bool let_leave_nodes(int process) {
  const space::Mapping& mapping = *space::Mapping::of_process();
  const space::ProcessSlot& slot = mapping.process_slot(process);
  if (wait::all_have_finished(mapping) || wait::is_lost(slot) || never_came(slot) ||
      is_refused(mapping, process))
    return want_no_more(mapping, process);
  if (slot.is_to_come() || wait::is_changing(mapping.header().quiesce, slot)) return false;
  if (slot.has_left()) {
    if (is_first(mapping)) say(process, "left");
    return want_no_more(mapping, process);
  }
  if (is_last_of_node(mapping, process)) return want_no_more(mapping, process);
  want(mapping, process, Change::leave);
  return false;
}

bool let_come_nodes(int process) {
  const space::Mapping& mapping = *space::Mapping::of_process();
  const space::ProcessSlot& slot = mapping.process_slot(process);
  if (wait::all_have_finished(mapping) || slot.has_left() || wait::is_lost(slot) ||
      is_refused(mapping, process))
    return want_no_more(mapping, process);
  if (wait::is_changing(mapping.header().quiesce, slot)) return false;
  if (slot.is_to_come() && has_ended(process)) return want_no_more(mapping, process);
  if (!slot.is_to_come()) {
    if (is_first(mapping)) say(process, "come");
    return want_no_more(mapping, process);
  }
  want(mapping, process, Change::come);
  return false;
}

/// The launcher starts those who come later when all others are here.
void tell_ready() {
  const space::Mapping& mapping = *space::Mapping::of_process();
  mapping.process_slot(Turns::of_process()->process())
      .joined.store(transport::sim::awaits_others, std::memory_order_release);
}

void join_turns(const space::Mapping& mapping, bootstrap::Exchange& wire) {
  const space::ControlHeader& job = mapping.header();
  const bool is_one_node = job.nodes == 1;
  Turns::join(wire, {.seed = job.simulation.seed,
                     .fates = {.deaths = static_cast<int>(job.simulation.deaths),
                               .leaves = static_cast<int>(job.simulation.leaves),
                               .joins = static_cast<int>(job.simulation.joins),
                               .all_agree = !is_one_node,
                               .on_death = tell_of_death,
                               .death_is_seen = death_is_seen,
                               .on_leave = is_one_node ? let_leave : let_leave_nodes,
                               .on_join = is_one_node ? let_come : let_come_nodes},
                     .when_ready = tell_ready,
                     .waits = waits_here,
                     .give_up = end_stalled});
}

}  // namespace

void simulate_network(net::NetworkOptions& options, const space::Mapping& mapping,
                      bootstrap::Exchange& wire) {
  join_turns(mapping, wire);
  options.open = transport::sim::open_turn_engine;
  options.serves = false;  // nothing comes while a process has its turn
  options.heartbeat_ns = 0;
}

void take_turns(const space::Mapping& mapping, bootstrap::Exchange& wire) {
  join_turns(mapping, wire);
  Turns::of_process()->begin();
}

void leave_turns() { Turns::of_process()->end(); }

simulation::Others others_in_turn() {
  return {[](bool made_progress) { Turns::of_process()->pass(made_progress); },
          []() -> base::Random& { return Turns::of_process()->random(); }};
}

}  // namespace armature

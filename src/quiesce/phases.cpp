#include "quiesce/phases.hpp"

#include <exception>

#include "base/clock.hpp"
#include "base/relaxed.hpp"
#include "net/network.hpp"

namespace armature::quiesce {
namespace {

using base::relaxed;  // nobody runs

template <class F, class... Arguments>
void attempt(const PhaseBarrier& barrier, const F& what, const Arguments&... arguments) {
  if (!what) return;
  try {
    what(arguments...);
  } catch (const GivenUp&) {
    throw;
  } catch (const std::exception& error) {
    barrier.tell_problem(error.what());
  }
}

void take(const PhaseBarrier& barrier, std::uint32_t step) {
  barrier.reach(step);
  barrier.all_reach(step);
}

void empty_the_network(const PhaseBarrier& barrier) {
  for (std::uint32_t step = 1; step <= 2; ++step) {
    barrier.become_quiet();
    if (step == 2) net::network()->close();
    take(barrier, step);
  }
}

/// Called by the first process of each node.
void close(space::ControlHeader& job, std::uint32_t number, const Client& client) {
  space::QuiesceState& quiesce = job.quiesce;
  quiesce.ready.store(0, relaxed);
  if (quiesce.broken.exchange(0, relaxed) != 0)
    quiesce.failed.store(number, relaxed);
  else if (client.at_end)
    client.at_end();
  if (quiesce.where.load(relaxed) == space::KeptIn::folder)
    job.every.checkpoints.last_ns.store(base::now_ns(), std::memory_order_release);
  // Release: who sees it sees where ranks are, and what has become of it.
  quiesce.over.store(number, std::memory_order_release);
  quiesce.asked.store(space::Asked::nothing, std::memory_order_release);
}

}  // namespace

void run_phases(const PhaseBarrier& barrier, space::QuiesceState& quiesce, const Client& client) {
  const bool are_several_nodes = net::network() != nullptr;
  const auto is_broken = [&] { return quiesce.broken.load(std::memory_order_acquire) != 0; };
  if (are_several_nodes) empty_the_network(barrier);
  attempt(barrier, client.when_quiet, barrier);
  take(barrier, 3);
  // All see the same.
  const bool goes_well = !is_broken();
  if (goes_well && client.prepare) {
    if (barrier.leads_all()) attempt(barrier, client.prepare);
    take(barrier, 4);
  }
  if (goes_well && !(client.prepare && is_broken())) attempt(barrier, client.by_each, barrier);
  barrier.reach(5);
  // The first one does the rest, and on its node all wait for that.
  if (!are_several_nodes && !barrier.leads()) return;
  barrier.all_reach(5);
  if (barrier.leads_all()) {
    if (!is_broken()) attempt(barrier, client.complete);
    if (is_broken()) attempt(barrier, client.undo);
  }
  if (are_several_nodes) take(barrier, 6);
}

void go_on(const PhaseBarrier& barrier, space::ControlHeader& job, std::uint32_t number,
           const Client& client) {
  if (barrier.leads()) close(job, number, client);
  barrier.wait_until([&] { return job.quiesce.over.load(std::memory_order_acquire) == number; });
}

}  // namespace armature::quiesce

#include "fibers/rank_transfer.hpp"

#include <cstdio>
#include <utility>

#include "base/clock.hpp"
#include "base/runtime.hpp"
#include "fibers/rank_services.hpp"
#include "team/renewal.hpp"
#include "wait/notifier.hpp"
#include "wait/trace.hpp"

namespace armature::fibers {
namespace {

struct TieSaid {
  bool is = false;
};

/// Release: who sees that it is another process's sees all that it has.
void give(RankFiber& fiber, int process) {
  if (fiber.context != nullptr) team::leave_process(*fiber.context);
  fiber.slot->process.store(process, std::memory_order_release);
  wait::wake(process, fiber.rank);
}

}  // namespace

bool is_tied(const RankFiber& fiber) {
  const space::Tie tie = fiber.tie();
  if (tie != space::Tie::none && tie != space::Tie::stays_here &&
      !std::exchange(base::state<TieSaid>().is, true))
    std::fprintf(stderr, "armature: --balance: rank %d stays in its process: it %s\n", fiber.rank,
                 space::text(tie));
  return tie != space::Tie::none;
}

bool send(ProcessRanks& ranks, RankFiber& fiber, int process) {
  if (!pack_services(fiber)) {
    (void)is_tied(fiber);  // which says so
    fiber.packed.has_no_room = false;
    return false;
  }
  fiber.waiting.is_sure = false;
  ranks.gatherings.remove(fiber);
  ranks.residents.forget(fiber);
  fiber.state = RankFiber::State::moves;
  send_off(ranks, fiber, process);
  return true;
}

void send_off(ProcessRanks& ranks, RankFiber& fiber, int process) {
  note_leaving(ranks, fiber);
  give(fiber, process);
}

void adopt(ProcessRanks& ranks, RankFiber& fiber) {
  ranks.residents.guard(fiber);
  fiber.slot->pid.store(ranks.host.pid, std::memory_order_relaxed);
  fiber.slot->tid.store(ranks.host.tid, std::memory_order_relaxed);
  fiber.slot->load.moves.fetch_add(1, std::memory_order_relaxed);
  if (fiber.slot->load.busy_ns.load(std::memory_order_relaxed) != 0) ranks.clock.measure();
  if (fiber.context != nullptr) fiber.context->scheduler = &ranks.scheduler;
  fiber.look_for_races();
  note_coming(ranks, fiber);
  unpack_services(fiber);
  ranks.host_rank(fiber);
}

void note_leaving(const ProcessRanks& ranks, RankFiber& fiber) {
  if (!ranks.clock.traces()) return;
  fiber.traced.left.process = ranks.host.number;
  fiber.traced.left.ns = base::now_ns();
}

void note_coming(const ProcessRanks& ranks, const RankFiber& fiber) {
  if (!ranks.clock.traces() || fiber.traced.left.process < 0) return;
  wait::trace({.kind = wait::TraceEvent::Kind::moved,
               .rank = fiber.rank,
               .other = fiber.traced.left.process,
               .begin_ns = fiber.traced.left.ns,
               .end_ns = base::now_ns()});
}

}  // namespace armature::fibers

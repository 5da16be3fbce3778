#include "quiesce/phase_barrier.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "base/message.hpp"
#include "base/runtime.hpp"
#include "quiesce/losses.hpp"
#include "quiesce/wire.hpp"
#include "wait/processes.hpp"

namespace armature::quiesce {

namespace {

constexpr std::uint64_t step_bits = 8, epoch_shift = 40;

/// The word that a process says in its slot. It grows from epoch to epoch, in each from one
/// quiescence to the next, and from step to step.
std::uint64_t word(std::uint32_t epoch, std::uint32_t number, std::uint32_t step) {
  return (std::uint64_t{epoch & 0xff'ffff} << epoch_shift) | (std::uint64_t{number} << step_bits) |
         step;
}

struct StepRecord {
  std::uint64_t without;  // whom: number_of_losses()
  std::uint32_t number;
  std::uint32_t step;
  Facts facts;
};

/// Steps by process, as it has told last. Under the links' lock.
struct Told {
  std::vector<StepRecord> steps =
      std::vector<StepRecord>(static_cast<std::size_t>(network()->links().processes()));
};
std::vector<StepRecord>& told() { return base::state<Told>().steps; }

void note(space::QuiesceState& quiesce, std::string_view what) {
  if (quiesce.broken.fetch_add(1, std::memory_order_acq_rel) != 0) return;
  base::copy_text(quiesce.problem, what);
}

void on_problem(const Arrived& arrived) {
  const auto what = arrived.rest(0);
  note(network()->mapping().header().quiesce,
       {reinterpret_cast<const char*>(what.data()), what.size()});
}

void write_whole(space::QuiesceState& quiesce) {
  quiesce.incremental.since.store(0, std::memory_order_release);
}

void on_whole(const Arrived& /*arrived*/) { write_whole(network()->mapping().header().quiesce); }

void on_step(const Arrived& arrived) {
  told()[static_cast<std::size_t>(arrived.process)] = arrived.head<StepRecord>();
}

/// Reads this node's facts.
Facts facts_of(const space::ControlHeader& job) {
  return {job.quiesce.copy.load(std::memory_order_acquire),
          job.quiesce.wanted.load(std::memory_order_acquire),
          job.quiesce.epoch.has_given_up.load(std::memory_order_acquire)};
}

/// f(link) to each process of another node, under the links' lock.
template <class F>
void for_each_link(F&& f) {
  if (network() == nullptr) return;  // on one node
  const Links::Lock locked(network()->links().lock());
  for (const int process : network()->others()) f(network()->links().to(process));
}

}  // namespace

const std::array<transport::Handling, 3> PhaseBarrier::handlers{{
    {.kind = transport::number_of(Kind::step), .handler = on_step, .is_never_ignored = true},
    {.kind = transport::number_of(Kind::problem), .handler = on_problem},
    {.kind = transport::number_of(Kind::whole), .handler = on_whole},
}};

PhaseBarrier::PhaseBarrier(const space::Mapping& mapping, int process, std::uint32_t epoch,
                           std::uint32_t number, const Facts& facts)
    : mapping_(mapping),
      job_(mapping.header()),
      epoch_(epoch),
      number_(number),
      process_(process),
      of_node_(mapping, process, epoch),
      facts_(facts) {}

PhaseBarrier::PhaseBarrier(const space::Mapping& mapping, int process, std::uint32_t number)
    : PhaseBarrier(mapping, process,
                   mapping.header().quiesce.epoch.entered.load(std::memory_order_acquire), number,
                   {}) {}

PhaseBarrier PhaseBarrier::of_epoch(const space::Mapping& mapping, int process,
                                    std::uint32_t epoch) {
  return {mapping, process, epoch, 0, facts_of(mapping.header())};
}

bool PhaseBarrier::leads_all() const {
  if (job_.nodes == 1) return leads();
  int first = 0;
  while (wait::is_gone(mapping_.process_slot(first))) ++first;
  return leads() && of_node_.processes().front() == first;
}

Facts PhaseBarrier::greatest() const {
  Facts greatest = facts_of(job_);
  const Links::Lock locked(network()->links().lock());
  for (const int process : network()->others()) {
    const StepRecord& is = told()[static_cast<std::size_t>(process)];
    if (is.without != number_of_losses()) continue;
    greatest.copy = std::max(greatest.copy, is.facts.copy);
    greatest.quiesced = std::max(greatest.quiesced, is.facts.quiesced);
    greatest.has_given_up = std::max(greatest.has_given_up, is.facts.has_given_up);
  }
  return greatest;
}

/// Whether that process of this node has. One that is in a later epoch has not come so far here;
/// then this one is called there, too.
bool PhaseBarrier::has_passed(int process, std::uint32_t step) const {
  const space::ProcessSlot& slot = mapping_.process_slot(process);
  // It has handed over all: nobody says so of it before all have taken the step before that.
  if (slot.has_left()) return true;
  const std::uint64_t is = slot.step.load(std::memory_order_acquire);
  const std::uint64_t least = word(epoch_, number_, step);
  // A member that was killed, or will leave, has not.
  return is != wait::runs_no_more && is >> epoch_shift == least >> epoch_shift && is >= least;
}

bool PhaseBarrier::node_has_passed(std::uint32_t step) const {
  return std::ranges::all_of(of_node_.processes(),
                             [&](int process) { return has_passed(process, step); });
}

bool PhaseBarrier::others_have_passed(std::uint32_t step) const {
  if (network() == nullptr) return true;  // there are none
  const Links::Lock locked(network()->links().lock());
  return std::ranges::all_of(network()->others(), [&](int process) {
    // A process that was lost meanwhile counts: all are about to roll back, and it may not have got
    // so far. So does one that leaves: see has_passed().
    if (!mapping_.process_slot(process).belongs(epoch_)) return true;
    const StepRecord& is = told()[static_cast<std::size_t>(process)];
    if (is.without != number_of_losses()) return false;
    const auto ahead = static_cast<std::int32_t>(is.number - number_);
    return ahead > 0 || (ahead == 0 && is.step >= step);
  });
}

bool PhaseBarrier::all_have_passed(std::uint32_t step) const {
  return node_has_passed(step) && others_have_passed(step);
}

bool PhaseBarrier::is_broken() const {
  if (job_.quiesce.epoch.wanted.load(std::memory_order_acquire) != epoch_) return true;
  return job_.nodes == 1 && (job_.gone.deaths.load(std::memory_order_acquire) != 0 ||
                             job_.here.finished.load(std::memory_order_acquire) >= job_.ranks);
}

void PhaseBarrier::require_to_go_on() const {
  if (job_.quiesce.epoch.wanted.load(std::memory_order_acquire) != epoch_) throw GivenUp();
}

void PhaseBarrier::tell_problem(std::string_view what) const {
  what = base::without_start(what);
  note(mapping_.header().quiesce, what);
  what = what.substr(0, space::QuiesceState::text_max);
  for_each_link([&](Link& link) {
    std::memcpy(link.append(Kind::problem, -1, -1, what.size(), Link::Ack::none), what.data(),
                what.size());
  });
}

void PhaseBarrier::tell_whole() const {
  write_whole(mapping_.header().quiesce);
  for_each_link([](Link& link) { (void)link.append(Kind::whole, -1, -1, 0, Link::Ack::none); });
}

void PhaseBarrier::reach(std::uint32_t step) const {
  mapping_.process_slot(process_).step.store(word(epoch_, number_, step),
                                             std::memory_order_release);
  for_each_link([&](Link& link) {
    link.post(Kind::step, -1, -1, StepRecord{number_of_losses(), number_, step, facts_},
              Link::Ack::none);
    link.flush();
  });
}

void PhaseBarrier::all_reach(std::uint32_t step) const {
  node_reaches(step);
  wait_until([&] { return others_have_passed(step); });
}

void PhaseBarrier::node_reaches(std::uint32_t step) const {
  wait_until([&] { return node_has_passed(step); });
}

void PhaseBarrier::node_stands() const {
  wait_until([&] {
    for (int p = 0; p < static_cast<int>(job_.processes); ++p) {
      const space::ProcessSlot& slot = mapping_.process_slot(p);
      const bool may_run = slot.since.load(std::memory_order_acquire) <= epoch_ &&
                           slot.step.load(std::memory_order_acquire) != wait::runs_no_more;
      if (may_run && !has_passed(p, 1)) return false;
    }
    return true;
  });
}

void PhaseBarrier::become_quiet() const {
  if (network() == nullptr) return;
  wait_until([] {
    const Links::Lock locked(network()->links().lock());
    return network()->flush().is_drained();
  });
}

}  // namespace armature::quiesce

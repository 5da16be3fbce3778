#include "virtual/nodes/steps.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "base/interleaving.hpp"
#include "base/message.hpp"
#include "base/process_memory.hpp"
#include "base/runtime.hpp"
#include "virtual/nodes/losses.hpp"
#include "virtual/nodes/wire.hpp"
#include "wait/processes.hpp"

namespace armature::nodes {

namespace {

struct StepRecord {
  std::uint64_t without;  // whom: number_of_losses()
  std::uint32_t number;
  std::uint32_t step;
  Facts facts;
};

/// By process: what it has told last. Under the links' lock.
struct Told {
  std::vector<StepRecord> steps =
      std::vector<StepRecord>(static_cast<std::size_t>(network()->links().processes()));
};
std::vector<StepRecord>& told() { return base::state<Told>().steps; }

void note(space::Halt& halt, std::string_view what) {
  if (halt.broken.fetch_add(1, std::memory_order_acq_rel) != 0) return;
  base::copy_text(halt.problem, what);
}

void on_problem(const Arrived& arrived) {
  const auto what = arrived.rest(0);
  note(network()->mapping().header().halt,
       {reinterpret_cast<const char*>(what.data()), what.size()});
}

void write_whole(space::Halt& halt) { halt.changed_since.store(0, std::memory_order_release); }

void on_whole(const Arrived& /*arrived*/) { write_whole(network()->mapping().header().halt); }

void on_step(const Arrived& arrived) {
  told()[static_cast<std::size_t>(arrived.process)] = arrived.head<StepRecord>();
}

}  // namespace

const std::array<transport::Handling, 3> Steps::handlers{{
    {.kind = transport::number_of(Kind::step), .handler = on_step, .is_never_ignored = true},
    {.kind = transport::number_of(Kind::problem), .handler = on_problem},
    {.kind = transport::number_of(Kind::whole), .handler = on_whole},
}};

Steps::Steps(const space::Mapping& mapping, int process, std::uint32_t regroup,
             std::uint32_t number, const Facts& facts)
    : mapping_(mapping),
      regroup_(regroup),
      number_(number),
      of_node_(mapping, process, regroup, number),
      facts_(facts) {}

Steps::Steps(const space::Mapping& mapping, int process, std::uint32_t number)
    : Steps(mapping, process, mapping.header().halt.regrouped.load(std::memory_order_acquire),
            number, {}) {}

Steps::Steps(const space::Mapping& mapping, int process, std::uint32_t lost, const Facts& facts)
    : Steps(mapping, process, lost, 0, facts) {}

bool Steps::leads_all() const {
  int first = 0;
  while (wait::is_lost(mapping_.process_slot(first))) ++first;
  return leads() && of_node_.members().front() == first;
}

Facts Steps::facts_of(const space::ControlHeader& job) {
  return {job.halt.copy.load(std::memory_order_acquire),
          job.halt.wanted.load(std::memory_order_acquire),
          job.halt.has_given_up.load(std::memory_order_acquire)};
}

Facts Steps::greatest() const {
  Facts greatest = facts_of(mapping_.header());
  const Links::Lock locked(network()->links().lock());
  for (const int process : network()->others()) {
    const StepRecord& is = told()[static_cast<std::size_t>(process)];
    if (is.without != number_of_losses()) continue;
    greatest.copy = std::max(greatest.copy, is.facts.copy);
    greatest.halted = std::max(greatest.halted, is.facts.halted);
    greatest.has_given_up = std::max(greatest.has_given_up, is.facts.has_given_up);
  }
  return greatest;
}

/// Some may have gone on to the next standing still.
bool Steps::others_have_passed(std::uint32_t step) const {
  const Links::Lock locked(network()->links().lock());
  return std::all_of(network()->others().begin(), network()->others().end(), [&](int process) {
    // One that was lost meanwhile counts: all are about to go back, and it may not have got so far.
    if (!mapping_.process_slot(process).belongs(regroup_)) return true;
    const StepRecord& is = told()[static_cast<std::size_t>(process)];
    if (is.without != number_of_losses()) return false;
    const auto ahead = static_cast<std::int32_t>(is.number - number_);
    return ahead > 0 || (ahead == 0 && is.step >= step);
  });
}

void Steps::require_to_go_on() const {
  if (mapping_.header().halt.regroup.load(std::memory_order_acquire) != regroup_) throw GivenUp();
}

void Steps::tell_problem(std::string_view what) const {
  what = base::without_start(what);
  note(mapping_.header().halt, what);
  what = what.substr(0, space::Halt::text_max);
  const Links::Lock locked(network()->links().lock());
  for (const int process : network()->others()) {
    Link& link = network()->links().to(process);
    std::memcpy(link.append(Kind::problem, -1, -1, what.size(), Link::Ack::none), what.data(),
                what.size());
  }
}

void Steps::tell_whole() const {
  write_whole(mapping_.header().halt);
  const Links::Lock locked(network()->links().lock());
  for (const int process : network()->others())
    (void)network()->links().to(process).append(Kind::whole, -1, -1, 0, Link::Ack::none);
}

void Steps::reach(std::uint32_t step) const {
  of_node_.reach(step);
  const Links::Lock locked(network()->links().lock());
  for (const int process : network()->others()) {
    Link& link = network()->links().to(process);
    link.post(Kind::step, -1, -1, StepRecord{number_of_losses(), number_, step, facts_},
              Link::Ack::none);
    link.flush();
  }
}

void Steps::all_reach(std::uint32_t step) const {
  node_reaches(step);
  poll_until([&] { return others_have_passed(step); });
}

bool Steps::all_have_passed(std::uint32_t step) const {
  return of_node_.all_have_passed(step) && others_have_passed(step);
}

void Steps::become_quiet() const {
  poll_until([] {
    const Links::Lock locked(network()->links().lock());
    return network()->is_quiet();
  });
}

void Steps::node_reaches(std::uint32_t step) const {
  poll_until([&] { return of_node_.all_have_passed(step); });
}

namespace {

// Somebody may be writing a checkpoint, for which this one's core is needed.
class Looks {
 public:
  void look() {
    constexpr int looks_max = 10'000;
    if (network()->try_poll())
      looks_ = 0;
    else if (++looks_ < looks_max)
      base::yield_to_others();
    else
      base::pause_for_others(50'000);
  }

 private:
  int looks_ = 0;
};

}  // namespace

void poll_until(bool (*holds)(const void*), const void* of) {
  for (Looks looks; !holds(of);) looks.look();
}

void Steps::poll_until(bool (*holds)(const void*), const void* of) const {
  for (Looks looks; !holds(of);) {
    require_to_go_on();
    looks.look();
  }
  require_to_go_on();
}

}  // namespace armature::nodes

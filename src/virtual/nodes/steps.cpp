#include "virtual/nodes/steps.hpp"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <mutex>
#include <vector>

#include "base/process_memory.hpp"
#include "progress/network.hpp"

namespace armature::nodes {

using progress::network;
using transport::Arrived;
using transport::Kind;
using transport::Link;
using transport::Links;

namespace {

struct StepRecord {
  std::uint32_t number;
  std::uint32_t step;
};

/// By process: what it has told last. Under the links' lock.
std::vector<StepRecord>& told() {
  static std::vector<StepRecord> steps = [] {
    const base::ProcessMemory kept;
    return std::vector<StepRecord>(static_cast<std::size_t>(network()->links().processes()));
  }();
  return steps;
}

void note(space::Halt& halt, std::string_view what) {
  if (halt.broken.fetch_add(1, std::memory_order_acq_rel) != 0) return;
  const std::size_t bytes = std::min(what.size(), sizeof halt.problem - 1);
  std::memcpy(halt.problem, what.data(), bytes);
  halt.problem[bytes] = '\0';
}

void on_problem(const Arrived& arrived) {
  const auto what = arrived.rest(0);
  note(network()->mapping().header().halt,
       {reinterpret_cast<const char*>(what.data()), what.size()});
}

void on_step(const Arrived& arrived) {
  told()[static_cast<std::size_t>(arrived.process)] = arrived.head<StepRecord>();
}

/// Some may have gone on to the next standing still.
bool others_have_passed(std::uint32_t number, std::uint32_t step) {
  const Links::Lock locked(network()->links().lock());
  return std::all_of(network()->others().begin(), network()->others().end(), [&](int process) {
    const StepRecord& is = told()[static_cast<std::size_t>(process)];
    const auto ahead = static_cast<std::int32_t>(is.number - number);
    return ahead > 0 || (ahead == 0 && is.step >= step);
  });
}

}  // namespace

void Steps::install(Links& links) {
  links.handle(Kind::step, on_step);
  links.handle(Kind::problem, on_problem);
}

Steps::Steps(const space::Mapping& mapping, int process, std::uint32_t number)
    : mapping_(mapping), of_node_(mapping, process, 0, number), number_(number) {}

void Steps::tell_problem(std::string_view what) const {
  // Whoever tells it begins with these words, too.
  if (constexpr std::string_view start = "armature: "; what.starts_with(start))
    what.remove_prefix(start.size());
  note(mapping_.header().halt, what);
  what = what.substr(0, space::Halt::text_max);
  const Links::Lock locked(network()->links().lock());
  for (const int process : network()->others()) {
    Link& link = network()->links().to(process);
    std::memcpy(link.append(Kind::problem, -1, -1, what.size(), Link::Ack::none), what.data(),
                what.size());
  }
}

void Steps::reach(std::uint32_t step) const {
  of_node_.reach(step);
  const Links::Lock locked(network()->links().lock());
  for (const int process : network()->others()) {
    Link& link = network()->links().to(process);
    link.post(Kind::step, -1, -1, StepRecord{number_, step}, Link::Ack::none);
    link.flush();
  }
}

void Steps::all_reach(std::uint32_t step) const {
  node_reaches(step);
  poll_until([&] { return others_have_passed(number_, step); });
}

void Steps::node_reaches(std::uint32_t step) const {
  poll_until([&] { return of_node_.all_have_passed(step); });
}

// Somebody may be writing a checkpoint, for which this one's core is needed.
void poll_until(bool (*holds)(const void*), const void* of) {
  constexpr int looks_max = 10'000;
  constexpr timespec nap{0, 50'000};
  for (int looks = 0; !holds(of);) {
    if (network()->try_poll()) {
      looks = 0;
    } else if (++looks < looks_max) {
      sched_yield();
    } else {
      nanosleep(&nap, nullptr);
    }
  }
}

}  // namespace armature::nodes

// Members that know the same ask for the same plans: many ranks of a process one after the other.
// The first makes them, the others find them. They are made on a thread of their own: the stack of
// a virtual rank may be small, and what Scotch allocates must not move away with the rank.
#include <pthread.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <span>
#include <utility>

#include "balance/candidates.hpp"
#include "balance/loads.hpp"
#include "balance/scotch/partition.hpp"
#include "base/checksum.hpp"
#include "base/no_signals.hpp"
#include "base/process_memory.hpp"
#include "base/runtime.hpp"

namespace armature::balance {
namespace {

using Numbers = std::vector<std::int64_t>;

/// Places in the order of their groups, where all groups are of one size; else as if all were one.
struct Ordered {
  scotch::Places places;
  std::vector<int> place;   // by its number here
  std::vector<int> number;  // by place

  explicit Ordered(const Problem& problem) : place(static_cast<std::size_t>(problem.places)) {
    std::iota(place.begin(), place.end(), 0);
    std::map<int, std::int64_t> sizes;
    for (const int group : problem.groups) ++sizes[group];
    const bool alike = std::ranges::all_of(
        sizes, [&](const auto& one) { return one.second == sizes.begin()->second; });
    places = {.groups = 1, .each = problem.places, .far = far};
    if (alike && sizes.size() > 1) {
      places.groups = static_cast<std::int64_t>(sizes.size());
      places.each = sizes.begin()->second;
      std::ranges::stable_sort(place, {},
                               [&](int p) { return problem.groups[static_cast<std::size_t>(p)]; });
    }
    number.resize(place.size());
    for (std::size_t n = 0; n < place.size(); ++n)
      number[static_cast<std::size_t>(place[n])] = static_cast<int>(n);
  }
};

using Overlaps = std::map<std::pair<std::int64_t, std::int64_t>, std::size_t>;

/// Gives each part a number below `count`, none twice: that with which it has most in common. Parts
/// with most in common come first.
Numbers matched(const Overlaps& overlaps, std::int64_t count) {
  std::vector<std::pair<std::size_t, Overlaps::key_type>> order;
  for (const auto& [pair, items] : overlaps) order.emplace_back(items, pair);
  std::ranges::stable_sort(order, std::greater<>(), [](const auto& one) { return one.first; });
  Numbers name(static_cast<std::size_t>(count), -1);
  std::vector<bool> taken(name.size());
  const auto give = [&](std::size_t part, std::size_t number) {
    if (name[part] >= 0 || taken[number]) return;
    name[part] = static_cast<std::int64_t>(number);
    taken[number] = true;
  };
  for (const auto& [items, pair] : order)
    give(static_cast<std::size_t>(pair.first), static_cast<std::size_t>(pair.second));
  std::size_t next = 0;
  for (std::size_t part = 0; part < name.size(); ++part)
    for (; name[part] < 0; ++next) give(part, next);
  return name;
}

/// Parts get the numbers by which the least items move: groups among groups, then the parts of
/// each.
void renumber(std::span<std::int64_t> plan, std::span<const std::int64_t> before,
              const scotch::Places& places) {
  const std::int64_t each = places.each;
  Overlaps of_groups;
  for (std::size_t i = 0; i < plan.size(); ++i) ++of_groups[{plan[i] / each, before[i] / each}];
  const Numbers groups = matched(of_groups, places.groups);
  std::vector<Overlaps> of_parts(groups.size());
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const auto group = static_cast<std::size_t>(plan[i] / each);
    if (groups[group] == before[i] / each) ++of_parts[group][{plan[i] % each, before[i] % each}];
  }
  std::vector<Numbers> parts;
  for (const Overlaps& overlaps : of_parts) parts.push_back(matched(overlaps, each));
  for (std::int64_t& at : plan) {
    const auto group = static_cast<std::size_t>(at / each);
    at = groups[group] * each + parts[group][static_cast<std::size_t>(at % each)];
  }
}

/// The two plans of one problem, in numbers of Ordered.
struct Task {
  scotch::Graph graph;
  scotch::Places places;
  scotch::Before before;
  std::span<Numbers> plans;
  bool made[2] = {false, false};
};

void* work(void* of) {
  Task& task = *static_cast<Task*>(of);
  for (std::size_t n = 0; n < 2; ++n)
    task.made[n] =
        scotch::partition(task.graph, task.places, n == 0 ? task.before : scotch::Before(),
                          tolerance - 1, task.plans[n].data());
  return nullptr;
}

/// Makes nothing where there is no thread.
void work_on_a_thread(Task& task) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  pthread_attr_setstacksize(&attributes, std::size_t{16} << 20);
  pthread_t thread{};
  const bool runs = [&] {
    const base::NoSignals none;
    const base::ProcessMemory processes;
    return pthread_create(&thread, &attributes, work, &task) == 0;
  }();
  pthread_attr_destroy(&attributes);
  if (runs) pthread_join(thread, nullptr);
}

/// The last question, known by a checksum of it, and its answer.
struct Last {
  std::mutex lock;
  std::uint64_t question = 0;
  std::vector<Numbers> plans;
};

std::uint64_t checksum(std::initializer_list<std::span<const std::int64_t>> parts) {
  std::uint64_t sum = 0;
  for (const auto part : parts) sum = base::checksum(std::as_bytes(part), sum);
  return sum;
}

/// The plans are the caller's memory, what is kept the process's.
void answer(Task& task, std::uint64_t question) {
  auto& last = base::state<Last>();
  const std::scoped_lock locked(last.lock);
  if (last.question != question || last.plans.empty()) {
    const base::ProcessMemory kept;
    last.plans.clear();
    work_on_a_thread(task);
    if (!task.made[0] || !task.made[1]) return;
    last.plans.assign(task.plans.begin(), task.plans.end());
    last.question = question;
    return;
  }
  for (std::size_t n = 0; n < 2; ++n) {
    std::ranges::copy(last.plans[n], task.plans[n].begin());
    task.made[n] = true;
  }
}

}  // namespace

std::vector<Plan> partitioned(const Problem& problem, const Links& links) {
  const Ordered ordered(problem);
  const std::size_t items = problem.items.size();
  Numbers before, move_cost(items, links.move_cost);
  for (const Item& item : problem.items)
    before.push_back(ordered.number[static_cast<std::size_t>(item.place)]);
  std::vector<Numbers> numbers(2, Numbers(items, -1));
  Task task{.graph = {.vertices = static_cast<std::int64_t>(items),
                      .first = links.first.data(),
                      .to = links.to.data(),
                      .weight = links.weight.data(),
                      .load = links.load.data()},
            .places = ordered.places,
            .before = {.place = before.data(), .move_cost = move_cost.data()},
            .plans = numbers};
  const std::int64_t places[] = {ordered.places.groups, ordered.places.each};
  answer(task, checksum({places, links.first, links.to, links.weight, links.load, before}));
  std::vector<Plan> plans;
  for (std::size_t n = 0; n < 2; ++n) {
    const auto is_place = [&](std::int64_t at) { return at >= 0 && at < problem.places; };
    if (!task.made[n] || !std::ranges::all_of(numbers[n], is_place)) continue;
    if (n == 1) renumber(numbers[n], before, ordered.places);
    Plan& plan = plans.emplace_back();
    for (const std::int64_t number : numbers[n])
      plan.push_back(ordered.place[static_cast<std::size_t>(number)]);
  }
  return plans;
}

}  // namespace armature::balance

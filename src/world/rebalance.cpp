#include "armature/rebalance.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "armature/collectives.hpp"
#include "armature/decide_at_root.hpp"
#include "armature/rank_local.hpp"
#include "armature/virtual.hpp"
#include "base/clock.hpp"
#include "base/fail.hpp"
#include "bootstrap/environment.hpp"
#include "fibers/rank_scheduler.hpp"
#include "migration/addresses.hpp"
#include "rmi/endpoint.hpp"
#include "wait/rank_context.hpp"
#include "wait/recorded_links.hpp"
#include "world/change_nodes.hpp"
#include "world/exchange_loads.hpp"
#include "world/gather_first.hpp"
#include "world/levels_of_processes.hpp"
#include "world/periodic_tasks.hpp"
#include "world/place_speeds.hpp"
#include "world/restart.hpp"

namespace armature {
namespace {

/// Told by each rank to the one that makes the plan.
struct Measured {
  double load = 0;
  std::int32_t process = 0;
  std::uint32_t stays = 0, was_measured = 0, links = 0;
  hosting::Processor processor;
};

/// How much one rank had to do with another since the last time: bytes that it has moved to or from
/// there where they are recorded, else its remote calls.
struct Linked {
  std::int32_t to = 0;
  std::uint32_t reserved = 0;
  std::uint64_t amount = 0;
};

/// Limits the ranks that count of those that a rank has to do with: those with the most.
constexpr std::size_t links_max = 32;

struct Before {
  std::uint64_t busy_ns = 0;
  bool was_measured = false;
  std::uint64_t times = 0;                            // measured so far, by all ranks equally often
  std::shared_ptr<hosting::PlaceSpeeds> speeds = {};  // rank 0's
  double move_s = 1e-3;      // that going elsewhere takes all ranks, as far as is known
  bool saved_links = false;  // rank 0's: what it has planned last would have, without a move
  std::unordered_map<int, std::uint64_t> sent;
};
rank_local<Before> last_time;

/// Notes that there was so much until now, and adds what is new. Bytes are counted from 0 again in
/// a job that was restarted.
void add_since(int to, std::uint64_t now, std::vector<Linked>& all) {
  if (now == 0) return;
  const std::uint64_t before = std::exchange(last_time->sent[to], now);
  const std::uint64_t since = now >= before ? now - before : now;
  if (since > 0) all.push_back({.to = to, .reserved = 0, .amount = since});
}

std::vector<Linked> measure_links(int ranks) {
  const rmi::Outbox& calls = rmi::this_endpoint("rebalance").outbox();
  std::vector<Linked> all;
  if (wait::records_links())
    for (int to = 0; to < ranks; ++to) add_since(to, wait::bytes_of_link(to), all);
  else
    for (const int to : calls.sent_to()) add_since(to, calls.sent(to), all);
  std::ranges::stable_sort(all, std::greater<>(), &Linked::amount);
  all.resize(std::min(all.size(), links_max));
  return all;
}

bool is_measured_from_the_start(const space::ControlHeader& job) {
  return job.settings.balance != 0 || job.settings.measures != 0;
}

Measured measure(const wait::RankContext& me) {
  static_cast<fibers::RankScheduler*>(me.scheduler)->ranks().clock.measure();
  const space::RankSlot& slot = me.space.slot(me.space.me());
  const std::uint64_t busy_ns = slot.load.busy_ns.load(std::memory_order_relaxed);
  const std::uint64_t before_ns = std::exchange(last_time->busy_ns, busy_ns);
  const bool was_measured = std::exchange(last_time->was_measured, true);
  // The sum starts again in a job that was restarted.
  const std::uint64_t since_ns = busy_ns >= before_ns ? busy_ns - before_ns : busy_ns;
  return {.load = static_cast<double>(since_ns) * 1e-9,
          .process = slot.process.load(std::memory_order_relaxed),
          .stays = me.tie() != space::Tie::none ? 1u : 0u,
          .was_measured = was_measured || is_measured_from_the_start(me.space.header()) ? 1u : 0u,
          .processor = me.space.header().simulation.on != 0
                           ? hosting::Processor()
                           : hosting::measure_processor(++last_time->times)};
}

/// The figures of all ranks, at rank 0; nothing elsewhere.
struct Picture {
  std::vector<Measured> ranks;
  std::vector<Linked> links;  // each rank's, one after the other
};

Picture gather(const World& world, Measured mine, std::vector<Linked> links) {
  mine.links = static_cast<std::uint32_t>(links.size());
  const auto most = allreduce(world, mine.links, [](std::uint32_t one, std::uint32_t other) {
    return std::max(one, other);
  });
  Picture picture{hosting::gather_first(world, mine), {}};
  links.resize(most);
  std::vector<Linked> padded(picture.ranks.size() * most);
  gather<Linked>(world, links, padded, 0);
  for (std::size_t rank = 0; rank < picture.ranks.size(); ++rank)
    picture.links.insert(
        picture.links.end(), padded.begin() + static_cast<std::ptrdiff_t>(rank * most),
        padded.begin() + static_cast<std::ptrdiff_t>(rank * most + picture.ranks[rank].links));
  return picture;
}

/// The processes of the job; places are numbered as they stand here.
std::vector<int> processes_of(const space::Mapping& mapping,
                              const std::vector<std::int32_t>& of_ranks) {
  std::vector<bool> is_there(mapping.header().processes);
  const std::uint32_t reconfigured =
      mapping.header().quiesce.epoch.entered.load(std::memory_order_acquire);
  for (int p = 0; p < static_cast<int>(is_there.size()); ++p)
    is_there[static_cast<std::size_t>(p)] = mapping.process_slot(p).belongs(reconfigured);
  for (const int process : of_ranks) is_there[static_cast<std::size_t>(process)] = true;
  std::vector<int> processes;
  for (int p = 0; p < static_cast<int>(is_there.size()); ++p)
    if (is_there[static_cast<std::size_t>(p)]) processes.push_back(p);
  return processes;
}

balance::Problem problem_of(const space::Mapping& mapping, const std::vector<int>& processes,
                            const Picture& picture) {
  balance::Problem problem{.places = static_cast<int>(processes.size())};
  if (mapping.header().nodes > 1)
    for (const int process : processes)
      problem.groups.push_back(mapping.process_slot(process).node);
  problem.levels = hosting::levels_of(mapping.control(), processes);
  // Loads took longer where a process had a part of a processor, or a slow one.
  if (!last_time->speeds) last_time->speeds = std::make_shared<hosting::PlaceSpeeds>();
  hosting::PlaceSpeeds& speeds = *last_time->speeds;
  speeds.begin();
  for (const Measured& one : picture.ranks) speeds.take(one.process, one.processor);
  problem.speeds = speeds.of(processes);
  auto linked = picture.links.begin();
  for (const Measured& one : picture.ranks) {
    const std::size_t rank = problem.items.size();
    const auto place = std::ranges::lower_bound(processes, one.process) - processes.begin();
    const double speed =
        problem.speeds.empty() ? 1 : problem.speeds[static_cast<std::size_t>(place)];
    problem.items.push_back({.load = one.load * speed, .place = static_cast<int>(place)});
    for (std::uint32_t link = 0; link < one.links; ++link, ++linked)
      problem.links.push_back({.a = rank,
                               .b = static_cast<std::size_t>(linked->to),
                               .weight = static_cast<double>(linked->amount)});
  }
  return problem;
}

/// Ranks have moved since then.
void note_moves(std::uint64_t begun_ns) {
  last_time->move_s = static_cast<double>(base::now_ns() - begun_ns) * 1e-9;
  last_time->saved_links = false;
}

/// `to` is the process of each rank, at rank 0, and this one was in `here`.
void go(const World& world, int here, const std::vector<int>& to, bool moves) {
  if (wait::mapping("rebalance").header().nodes > 1) {
    if (moves) hosting::change_nodes(world, to, "rebalance");
    return;
  }
  // All of a node see each other's memory, and rank 0 keeps this until all are there.
  const int there = broadcast(world, to.data(), 0)[static_cast<int>(world.rank())];
  if (there != here) hosting::go_to(there);
  world.barrier();
}

void log(const std::string& what) { std::fprintf(stderr, "ranks: %s\n", what.c_str()); }

balance::Strategy strategy_of(const RebalanceOptions& options) {
  if (options.strategy) return options.strategy;
  const char* const name = std::getenv(bootstrap::rebalance_by_variable);
  return name != nullptr ? balance::strategy(name) : balance::chosen;
}

std::string why_not_for(double saves_s, const std::string& what) {
  return fmt::format("balance: nothing moves: that would save {:.3g} ms and take {:.3g} ms ({})",
                     1e3 * saves_s, 1e3 * std::exchange(last_time->move_s, 0.9 * last_time->move_s),
                     what);
}

/// Whether links between places weigh a quarter less by the plan, and it balances as well. Chance
/// may have it so once.
bool saves_links(const balance::Verdict& before, const balance::Verdict& after) {
  const bool is_so =
      before.cut > 0 && after.cut <= 0.75 * before.cut && after.most <= 1.05 * before.most;
  return is_so ? std::exchange(last_time->saved_links, true) : (last_time->saved_links = false);
}

/// A move must save more than the last one took, where nobody is in a hurry, or much of what goes
/// between places, as it would have last time, too. What the last move took counts for a little
/// less each time. Empty where it saves enough.
std::string why_not_worth_it(const balance::Problem& problem, const balance::Plan& plan) {
  const balance::Verdict after = balance::judge(problem, plan);
  const balance::Verdict before = balance::judge(problem, balance::none(problem));
  const double saves_s = before.most - after.most;
  if (after.moved == 0 || saves_s > last_time->move_s || saves_links(before, after)) return {};
  return why_not_for(saves_s, balance::explain(problem, plan));
}

constexpr const char* not_measured =
    "balance: they are measured from now on, until now nothing is known";

/// Called by rank 0: processes may come and go just now.
balance::Verdict decide(const Picture& picture, const RebalanceOptions& options,
                        std::vector<int>& to) {
  const space::Mapping& mapping = wait::mapping("rebalance");
  const std::vector<Measured>& ranks = picture.ranks;
  std::vector<std::int32_t> of_ranks;
  for (const Measured& one : ranks) of_ranks.push_back(one.process);
  const std::vector<int> processes = processes_of(mapping, of_ranks);
  const balance::Problem problem = problem_of(mapping, processes, picture);
  const bool was_measured = ranks.front().was_measured != 0;
  balance::Plan plan = was_measured ? strategy_of(options)(problem) : balance::none(problem);
  (void)balance::judge(problem, plan);  // refuses what is no plan
  std::string said;
  if (!was_measured)
    said = not_measured;
  else if (options.when_due)
    said = why_not_worth_it(problem, plan);
  if (!said.empty()) plan = balance::none(problem);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (ranks[rank].stays != 0) plan[rank] = problem.items[rank].place;
    to[rank] = processes[static_cast<std::size_t>(plan[rank])];
  }
  if (options.log) log(said.empty() ? balance::explain(problem, plan) : said);
  if (!options.record.empty() && was_measured) balance::record(problem, options.record);
  return balance::judge(problem, plan);
}

/// The options of rank 0 count. A wrong name is refused later.
bool is_to_exchange(const World& world, const RebalanceOptions& options) {
  bool is_to = false;
  if (world.rank() == 0 && options.record.empty()) {
    const char* const name = std::getenv(bootstrap::rebalance_by_variable);
    is_to = options.strategy ? balance::is_distributed(options.strategy)
                             : name != nullptr && std::string_view(name) == "distributed";
  }
  return broadcast(world, is_to, 0);
}

/// Nobody knows all loads. Returns what there was, and each rank's own part of the plan.
balance::Verdict rebalance_by_exchange(const World& world, const RebalanceOptions& options,
                                       const Measured& mine) {
  const bool leads = world.rank() == 0;
  const space::Mapping& mapping = wait::mapping("rebalance");
  const std::vector<std::int32_t> of_ranks = hosting::gather_first(world, mine.process);
  const hosting::ExchangedPlan plan =
      hosting::exchange_loads(world,
                              {.seconds = mine.was_measured != 0 ? mine.load : 0,
                               .process = mine.process,
                               .stays = mine.stays != 0,
                               .processor = mine.processor},
                              leads ? processes_of(mapping, of_ranks) : std::vector<int>());
  std::string said;
  if (leads && mine.was_measured == 0) said = not_measured;
  const double saves_s = plan.before.most - plan.after.most;
  if (leads && said.empty() && options.when_due && plan.after.moved > 0 &&
      saves_s <= last_time->move_s)
    said = why_not_for(saves_s, hosting::text_of(plan, world.size()));
  if (leads && options.log) log(said.empty() ? hosting::text_of(plan, world.size()) : said);
  const bool moves = broadcast(world, leads && said.empty() && plan.after.moved > 0, 0);
  const int there = moves ? plan.to : mine.process;
  const std::uint64_t begun_ns = base::now_ns();
  if (mapping.header().nodes > 1) {
    // A destination is no load: rank 0 tells all processes of them.
    const std::vector<int> to = hosting::gather_first(world, there);
    if (moves) hosting::change_nodes(world, to, "rebalance");
  } else {
    if (there != mine.process) hosting::go_to(there);
    world.barrier();
  }
  if (moves) note_moves(begun_ns);
  return moves ? plan.after : balance::Verdict{plan.before};
}

/// Makes no plan, so a program is the same whatever runs its ranks.
balance::Verdict nobody_moves(const World& world, const RebalanceOptions& options) {
  world.barrier();
  if (options.log && world.rank() == 0)
    log("balance: nothing moves: only virtual ranks can (armature run --virtual)");
  return {};
}

/// Begins to measure when it is asked for the first time: since then it is known what ranks
/// compute.
bool is_due(const World& world, const wait::RankContext& me) {
  if (me.space.header().ranks_are_virtual != 0 && !last_time->was_measured) {
    (void)measure(me);
    (void)measure_links(me.space.ranks());
  }
  return hosting::is_rebalance_due(world, "rebalance");
}

/// Rank 0 knows all, and makes a plan.
balance::Verdict rebalance_by_plan(const World& world, const RebalanceOptions& options,
                                   const Measured& mine) {
  const int ranks = wait::mapping("rebalance").ranks();
  const Picture picture = gather(world, mine, measure_links(ranks));
  std::vector<int> to(picture.ranks.size());
  const balance::Verdict verdict =
      decide_at_root(world, "rebalance", [&] { return decide(picture, options, to); });
  const std::uint64_t begun_ns = base::now_ns();
  go(world, mine.process, to, verdict.moved > 0);
  if (verdict.moved > 0) note_moves(begun_ns);
  return verdict;
}

}  // namespace

balance::Verdict rebalance(const World& world, const RebalanceOptions& options) {
  const wait::RankContext& me = wait::this_rank("rebalance");
  if (options.when_due && !is_due(world, me)) return {};
  if (!options.when_due) (void)hosting::restart_if_wanted(world, "rebalance");
  if (me.space.header().ranks_are_virtual == 0) return nobody_moves(world, options);
  (void)can_migrate();  // waits until all processes have joined
  if (const char* why = migration::why_not_move(me.space.header()))
    base::fail(Errc::misuse, fmt::format("rebalance: {}", why));
  world.barrier();
  const Measured mine = measure(me);
  const balance::Verdict verdict = is_to_exchange(world, options)
                                       ? rebalance_by_exchange(world, options, mine)
                                       : rebalance_by_plan(world, options, mine);
  hosting::note_rebalance(wait::mapping("rebalance").header());
  return verdict;
}

}  // namespace armature

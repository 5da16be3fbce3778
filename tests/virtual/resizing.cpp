// Ranks that are put into more processes and into fewer while they run.
//
//   virtual_resizing inside      the job resizes itself, from calls too
//   virtual_resizing measured    the same, where the first rank is known to compute more
//                                on one node and on several
//   virtual_resizing inside_nodes   the same on several nodes
//   virtual_resizing stays_on_nodes until somebody wants a process that must stay
//   virtual_resizing stays       a rank that must stay keeps its process in the job
//   virtual_resizing stays_until FILE S   a rank must stay until there is that file; S seconds
//   virtual_resizing held FILE   the same, while another rank computes until there is that file
//   virtual_resizing status N    one rank ends with that status, far from where it began
//   virtual_resizing storm S     everything at once for S seconds; somebody else resizes
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <armature/armature.hpp>
#include <armature/checkpoint.hpp>
#include <armature/rank_local.hpp>
#include <armature/rebalance.hpp>
#include <armature/virtual.hpp>

#include "checks.hpp"

namespace {

using armature::World;

armature::rank_local<std::int64_t> own;

/// Ranks in each of the processes that have some.
std::vector<int> shares(World& world) {
  std::map<int, int> shares;
  for (int rank = 0; rank < world.size(); ++rank) ++shares[armature::process_of(rank).number()];
  std::vector<int> all;
  for (const auto& [process, share] : shares) all.push_back(share);
  return all;
}

void require_even(World& world, int processes) {
  const std::vector<int> all = shares(world);
  require(static_cast<int>(all.size()) == processes, "some process has no rank");
  for (const int share : all)
    require(share >= world.size() / processes && share <= world.size() / processes + 1,
            "a process has more ranks than others");
}

struct Counter {
  std::int64_t count = 0;
  void add(std::int64_t amount) { count += amount; }
  int resize(int processes) {
    armature::resize(processes);
    return armature::hosting_processes();
  }
};

int inside(World& world) {
  require(armature::hosting_processes() == 2, "the job did not begin with two processes");
  armature::shared<Counter> counter(world);
  auto total = world.allocate<std::int64_t>(1);
  std::int64_t sum = 0;
  const int numbers[] = {3, 1, 4, 4, 2, 1, 3};
  for (const int processes : numbers) {
    counter.async((world.rank() + 1) % world.size(), &Counter::add, processes);
    armature::fetch_add(total.on(0), processes);
    if (world.rank() == processes % world.size()) armature::resize(processes);
    world.barrier();
    require(armature::hosting_processes() == processes, "there are not as many as were wanted");
    require_even(world, processes);
    sum += processes;
    *own += processes;
    world.barrier();
  }
  // A method may ask for it, too; the rank that runs it may go elsewhere meanwhile.
  if (world.rank() == 0)
    require(counter.sync(world.size() - 1, &Counter::resize, 4) == 4, "a method did not resize");
  armature::rmi_fence();
  require(counter->count == sum && *own == sum, "a call or a variable was lost");
  require(armature::get(total.on(0)) == sum * world.size(), "an addition was lost");
  for (const int wrong : {0, -1, world.size() + 1}) {
    try {
      armature::resize(wrong);
      require(false, "what cannot be was done");
    } catch (const armature::Error& error) {
      require(error.code() == armature::Errc::bad_argument, "another error");
    }
  }
  // All at once: one of them is right.
  armature::resize(1 + world.rank() % 3);
  world.barrier();
  require_even(world, armature::hosting_processes());
  return 0;
}

void meet_until_there_are(int processes) {
  while (armature::hosting_processes() != processes) (void)armature::checkpoint({.when_due = true});
}

int measured(World& world) {
  armature::rebalance(world, {.strategy = armature::balance::none, .log = false});
  compute(std::chrono::milliseconds(world.rank() == 0 ? 200 : 2));
  world.barrier();
  for (const int processes : {3, 2}) {
    if (world.rank() == 0) armature::resize(processes);
    if (armature::domain_count(armature::Domain::smp) > 1) meet_until_there_are(processes);
    world.barrier();
    require(armature::hosting_processes() == processes, "there are not as many as were wanted");
    require(static_cast<int>(shares(world).size()) == processes, "some process has no rank");
    for (int rank = 1; rank < world.size(); ++rank)
      require(!armature::same_process(0, rank), "who computes most shares its process");
    world.barrier();
  }
  return 0;
}

/// There it is done when all ranks meet, in whatever call.
int inside_on_nodes(World& world) {
  armature::shared<Counter> counter(world);
  std::int64_t sum = 0;
  int calls = 0;
  bool is_anew = false;
  for (const int processes : {4, 3, 7, 2}) {
    counter.async((world.rank() + 1) % world.size(), &Counter::add, processes);
    if (world.rank() == processes % world.size()) armature::resize(processes);
    while (armature::hosting_processes() != processes) {
      const bool was_anew = is_anew;
      is_anew = false;
      if (++calls % 2 == 0)
        armature::rebalance(world, {.when_due = true});
      else
        is_anew = armature::checkpoint({.when_due = true});
      require(!was_anew || !is_anew, "it was started anew twice");
    }
    world.barrier();
    // Loads are measured from the first call to rebalance on, and count.
    require(static_cast<int>(shares(world).size()) == processes, "some process has no rank");
    sum += processes;
    *own += processes;
  }
  armature::rmi_fence();
  require(counter->count == sum && *own == sum, "a call or a variable was lost");
  if (world.rank() == 0) std::puts("all is well");
  return 0;
}

int stays_on_nodes(World& world) {
  auto* const stay = world.rank() == world.size() - 1 ? new armature::Pinned : nullptr;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  while (broadcast(world, std::chrono::steady_clock::now() < end ? 1 : 0, 0) != 0)
    require(!armature::checkpoint({.when_due = true}), "it was started anew");
  delete stay;
  return 0;
}

/// One rank must stay, and need not any more as soon as there is that file. All meet all the time.
int stays_until(World& world, const std::string& file, int seconds) {
  auto* stay = world.rank() == world.size() - 1 ? new armature::Pinned : nullptr;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (broadcast(world, std::chrono::steady_clock::now() < end ? 1 : 0, 0) != 0) {
    (void)armature::checkpoint({.when_due = true});
    if (stay != nullptr && access(file.c_str(), F_OK) == 0) delete std::exchange(stay, nullptr);
  }
  delete stay;
  return 0;
}

int stays(World& world) {
  {
    const int holder = world.size() - 1;  // of the process that would leave
    auto* const stay = world.rank() == holder ? new armature::Pinned : nullptr;
    world.barrier();
    if (world.rank() == 0) {
      try {
        armature::resize(1);
        require(false, "the process has left");
      } catch (const armature::Error& error) {
        std::printf("%s\n", error.what());
      }
    }
    world.barrier();
    require(armature::hosting_processes() == 2, "the process has left");
    world.barrier();  // all have looked
    if (world.rank() == 0) armature::resize(4);
    world.barrier();
    require(armature::process_of(holder).number() == 1, "who must stay was moved");
    require_even(world, 4);
    world.barrier();
    delete stay;
  }
  world.barrier();
  if (world.rank() == 0) armature::resize(1);
  world.barrier();
  require_even(world, 1);
  return 0;
}

int held(World& world, const std::string& file) {
  (void)armature::checkpoint_in_memory();  // where all go back to, in a job that recovers
  const int holder = world.size() - 1;
  auto* const stay = world.rank() == holder ? new armature::Pinned : nullptr;
  const int pid = broadcast(world, static_cast<int>(getpid()), holder);
  if (world.rank() == 0) {
    std::printf("%d\n", pid), std::fflush(stdout);
    while (access(file.c_str(), F_OK) != 0) compute(std::chrono::milliseconds(1));
  }
  world.barrier();
  delete stay;
  return 0;
}

int status(World& world, int of_last) {
  if (world.rank() == 0) armature::resize(1);
  world.barrier();
  return world.rank() == world.size() - 1 ? of_last : 0;
}

/// Sums that every rank knows, kept by all others.
int storm(World& world, int seconds) {
  armature::shared<Counter> counter(world);
  auto cells = world.allocate<std::int64_t>(static_cast<std::size_t>(world.size()));
  auto added = world.allocate<std::int64_t>(1);
  std::mt19937 random(static_cast<unsigned>(world.rank()));
  std::vector<std::int64_t> put(static_cast<std::size_t>(world.size())), sent(put.size());
  std::int64_t additions = 0, steps = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  bool goes_on = true;
  while (goes_on) {
    for (int i = 0; i < 200; ++i, ++steps) {
      const int other = static_cast<int>(random() % static_cast<unsigned>(world.size()));
      const auto place = static_cast<std::size_t>(other);
      switch (random() % 5) {
        case 0:
          armature::put(cells.on(other) + world.rank(), ++put[place]);
          break;
        case 1:
          require(armature::get(cells.on(other) + world.rank()) == put[place],
                  "a get does not find a put");
          break;
        case 2:
          armature::fetch_add(added.on(other), 1);
          ++additions;
          break;
        case 3:
          counter.async(other, &Counter::add, 1);
          ++sent[place];
          break;
        default:
          counter.sync(other, &Counter::add, 0);
      }
      ++*own;
    }
    goes_on = broadcast(world, std::chrono::steady_clock::now() < end ? 1 : 0, 0) != 0;
  }
  armature::rmi_fence();
  std::vector<std::int64_t> came(put.size());
  alltoall<std::int64_t>(world, put, came);
  for (int from = 0; from < world.size(); ++from)
    require(cells[from] == came[static_cast<std::size_t>(from)], "a put was lost");
  alltoall<std::int64_t>(world, sent, came);
  for (const std::int64_t calls : came) counter->count -= calls;
  require(counter->count == 0, "a call was lost, or came twice");
  require(allreduce(world, additions) == allreduce(world, added[0]), "an addition was lost");
  require(*own == steps, "a variable of the rank was lost");
  if (world.rank() == 0)
    std::printf("all is well after %lld steps of each\n", static_cast<long long>(steps));
  return 0;
}

/// All go to one process, and stay there for that many seconds.
int together(World& world, int seconds) {
  armature::migrate(armature::ProcessId(0));
  world.barrier();
  if (world.rank() == 0) std::puts("together"), std::fflush(stdout);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (broadcast(world, std::chrono::steady_clock::now() < end ? 1 : 0, 0) != 0) ++*own;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? std::atoi(argv[2]) : 0;
  return armature::run(argc, argv, [&](World& world) {
    if (what == "inside") return inside(world);
    if (what == "measured") return measured(world);
    if (what == "inside_nodes") return inside_on_nodes(world);
    if (what == "stays_on_nodes") return stays_on_nodes(world);
    if (what == "stays") return stays(world);
    if (what == "together") return together(world, number);
    if (what == "held") return held(world, argv[2]);
    if (what == "stays_until") return stays_until(world, argv[2], std::atoi(argv[3]));
    if (what == "status") return status(world, number);
    return storm(world, number);
  });
}

#include <sched.h>

#include <barrier>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

#include "bench/rows.hpp"

// Two threads of a rank beside one. The times are those of processors: they tell whether threads
// get in each other's way, also while others have the second core.

namespace armature::bench {
namespace {

constexpr std::size_t puts = 200'000;

double processor_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

/// Lets the calling thread run on any core, though its rank is bound to one.
void leave_cores_of_rank() {
  cpu_set_t any;
  std::memset(&any, 0xff, sizeof any);
  (void)sched_setaffinity(0, sizeof any, &any);
}

/// Processor time for each put of all that so many threads make at once, divided by their number:
/// as one that waits for them sees it. Each puts to pages of its own.
double ns_of_put(global_ptr<double> to, std::ptrdiff_t threads) {
  constexpr std::ptrdiff_t page_doubles = 512;
  std::vector<double> ns(static_cast<std::size_t>(threads));
  std::barrier all_there(threads);
  {
    std::vector<std::jthread> running;
    for (std::ptrdiff_t t = 0; t < threads; ++t)
      running.emplace_back([&, t, mine = to + 16 * t * page_doubles] {
        leave_cores_of_rank();
        all_there.arrive_and_wait();
        const double start = processor_ns();
        for (std::size_t i = 0; i < puts; ++i)
          put(mine + static_cast<std::ptrdiff_t>(i % page_doubles), static_cast<double>(i));
        ns[static_cast<std::size_t>(t)] = (processor_ns() - start) / puts;
      });
  }
  double sum = 0;
  for (const double each : ns) sum += each;
  return sum / static_cast<double>(threads * threads);
}

}  // namespace

void thread_rows(Stage& stage) {
  const Subject subject{"put.threads2", 8};
  if (!stage.has(subject.op)) return;
  stage.alone([&] {
    std::vector<double> two, one;
    for (int b = 0; b < stage.effort().batches; ++b) {
      two.push_back(ns_of_put(stage.remote(), 2));
      one.push_back(ns_of_put(stage.remote(), 1));
    }
    stage.report(subject, pair_in_the_middle(two, one));
  });
}

}  // namespace armature::bench

// How much of a transfer from another node computing hides: armci-rma-2006, figure 19, where ever
// more computing is put between a get and its wait. There a network card moved the bytes; here both
// cores do when nobody computes, and the other one alone when one does, which takes longer. So what
// computing hides is measured for as long as the get takes, and for twice as long.
#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <armature/armature.hpp>

#include "bench/answers.hpp"
#include "bench/computing.hpp"
#include "bench/rows.hpp"

namespace armature::tools::bench {

namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

class Rows {
 public:
  Rows(World& world, const Settings& settings)
      : world_(world),
        settings_(settings),
        heap_(world.allocate<double>(mebi / sizeof(double))),
        local_(mebi / sizeof(double)) {}

  void all() {
    library_rows();
    tcp_row();
    world_.free(heap_);
  }

 private:
  void library_rows() {
    world_.barrier();
    if (world_.rank() == 0) {
      const auto start_get = [&] {
        return get_async(local_.data(), heap_.on(1), mebi / sizeof(double));
      };
      const auto get = [&] { start_get().wait(); };
      const auto get_and_compute = [&](std::size_t rounds) {
        Handle handle = start_get();
        compute(rounds);
        handle.wait();
      };
      report("net.overlap", 1, get, get_and_compute);
      report("net.overlap.twice", 2, get, get_and_compute);
      notify(1);
    } else if (world_.rank() == 1) {
      wait_notify(0);
    }
    world_.barrier();
  }

  /// The same by hand: a thread that sleeps until the bytes are there takes them, another one of
  /// rank 1 gives them. What both cores can do at most while one of them computes.
  void tcp_row() {
    if (!wanted(settings_.only, "net.overlap.tcp")) return;
    const Answers answers(world_);
    if (world_.rank() == 0) {
      std::atomic<int> asked = 0, taken = 0;
      const std::jthread takes([&] {
        run_anywhere();
        for (int i = 1;; ++i) {
          asked.wait(i - 1);
          if (asked < 0) return;
          answers.take_asleep(local_.data(), mebi);
          taken = i;
          taken.notify_one();
        }
      });
      const auto start = [&] {
        answers.ask(mebi);
        ++asked;
        asked.notify_one();
      };
      const auto wait = [&] {
        for (int now = taken; now != asked; now = taken) taken.wait(now);
      };
      report(
          "net.overlap.tcp", 1,
          [&] {
            start();
            wait();
          },
          [&](std::size_t rounds) {
            start();
            compute(rounds);
            wait();
          });
      asked = -1;
      asked.notify_one();
    }
    world_.barrier();
  }

  /// What is left to wait for of `fetch` after computing so many times as long as it takes.
  template <class Fetch, class Both>
  void report(const std::string& name, int times, Fetch fetch, Both both) {
    if (!wanted(settings_.only, name)) return;
    std::vector<double> alone_ns, left_ns;
    time_of(fetch, 20);
    for (int i = 0; i < std::max(settings_.effort.batches, 21); ++i) {
      alone_ns.push_back(time_of(fetch, 5) / 5);
      const std::size_t rounds = rounds_of(times * alone_ns.back());
      auto work = [&] { compute(rounds); };
      auto at_once = [&] { both(rounds); };
      const double work_ns = time_of(work, 1);
      left_ns.push_back(std::max(1.0, time_of(at_once, 5) / 5 - work_ns));
    }
    const Timing timing = pair_in_the_middle(left_ns, alone_ns);
    settings_.report({.op = name, .bytes = mebi, .ns = timing.ns, .limit_ns = timing.limit_ns});
  }

  World& world_;
  const Settings& settings_;
  Piece<double> heap_;
  std::vector<double> local_;
};

}  // namespace

void net_overlap_rows(World& world, const Settings& settings) { Rows(world, settings).all(); }

}  // namespace armature::tools::bench

// Operations between two nodes while the target computes: what they take, and what they cost it.
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <armature/armature.hpp>

#include "bench/answers.hpp"
#include "bench/computing.hpp"
#include "bench/rows.hpp"
#include "bench/sample.hpp"
#include "bench/wire.hpp"

namespace armature::bench {

namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

void sleep_until(double ns) {
  const double left = ns - now_ns();
  if (left <= 0) return;
  const timespec rest{0, static_cast<long>(left)};
  nanosleep(&rest, nullptr);
}

class Rows {
 public:
  Rows(World& world, const Settings& settings)
      : world_(world),
        settings_(settings),
        wire_(world),
        heap_(world.allocate<double>(mebi / sizeof(double))) {}

  void all() {
    busy_row("net.put.busy", [&] {
      put(remote(), 1.0);
      fence(1);
    });
    busy_row("net.get.busy", [&] { keep(get(remote())); });
    busy_row("net.acc.busy", [&] {
      accumulate(remote() + 2, 1.0);
      fence(1);
    });
    busy_row("net.fadd.busy",
             [&] { keep(fetch_add(remote().cast<void>().cast<std::int64_t>() + 8, 1)); });
    compute_row();
    world_.free(heap_);
  }

 private:
  [[nodiscard]] global_ptr<double> remote() const { return heap_.on(1); }

  /// Measures it while rank 1 computes and never calls the library.
  template <class Op>
  void busy_row(const std::string& name, Op op) {
    if (!wanted(settings_.only, name)) return;
    constexpr std::ptrdiff_t stop = 1024;
    if (world_.rank() == 1) heap_[stop] = 0;
    world_.barrier();
    if (world_.rank() == 1) {
      volatile double* const told = &heap_[stop];
      const double patience = now_ns() + 2e10;
      while (*told == 0 && now_ns() < patience) compute(10'000);
    } else if (world_.rank() == 0) {
      std::vector<double> ns;
      const double end = now_ns() + settings_.effort.budget_ns;
      while (ns.size() < 5 || (now_ns() < end && ns.size() < 2000)) ns.push_back(time_of(op, 1));
      put(remote() + stop, 1.0);
      settings_.report({.op = name, .bytes = 8, .ns = median(std::move(ns)), .limit_ns = {}});
    }
    world_.barrier();
  }

  /// Measures what a put a millisecond costs rank 1, which computes. The other row is being asked
  /// for a word as often on a TCP connection; the limit is computing with neither.
  void compute_row() {
    if (!wanted(settings_.only, "net.compute")) return;
    constexpr double batch_ns = 2e7;
    const std::size_t rounds = rounds_of(batch_ns);
    const Answers answers(world_);
    const std::function<void()> asked[] = {[] {},
                                           [&] {
                                             put(remote(), 1.0);
                                             fence(1);
                                           },
                                           [&] {
                                             double word = 0;
                                             answers.ask(sizeof word);
                                             answers.take(&word, sizeof word);
                                           }};
    std::vector<double> ns[std::size(asked)];
    for (int round = 0; round < std::max(settings_.effort.batches / 2, 5); ++round)
      for (std::size_t turn = 0; turn < std::size(asked); ++turn) {
        const std::size_t which = round % 2 == 0 ? turn : std::size(asked) - 1 - turn;
        ns[which].push_back(computing_ns(rounds, asked[which]));
      }
    if (world_.rank() != 0) return;
    const auto report = [&](const char* name, const std::vector<double>& with) {
      const Timing timing = pair_in_the_middle(with, ns[0]);
      settings_.report({.op = name, .bytes = 8, .ns = timing.ns, .limit_ns = timing.limit_ns});
    };
    report("net.compute", ns[1]);
    report("net.compute.tcp", ns[2]);
  }

  /// Returns at both what rank 1 has found.
  double computing_ns(std::size_t rounds, const std::function<void()>& asked) {
    world_.barrier();
    double ns = 0;
    if (world_.rank() == 1) {
      const double start = now_ns();
      compute(rounds);
      ns = now_ns() - start;
      wire_.give(&ns, sizeof ns);
    } else if (world_.rank() == 0) {
      constexpr double interval_ns = 1e6;
      for (double next = now_ns(); !wire_.has_something(); sleep_until(next += interval_ns))
        asked();
      wire_.take(&ns, sizeof ns);
    }
    return ns;
  }

  World& world_;
  const Settings& settings_;
  Wire wire_;
  Piece<double> heap_;
};

}  // namespace

void net_computing_rows(World& world, const Settings& settings) { Rows(world, settings).all(); }

}  // namespace armature::bench

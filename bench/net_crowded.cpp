// Operations between two nodes beside programs that compute on the same cores and never wait. A
// thread that spins, or yields, pays a time slice now and then, 4 ms. So it is the mean that
// counts, of operations and of asking a thread that sleeps on a TCP connection for a word.
#include <cstdint>
#include <stop_token>
#include <string>
#include <thread>

#include <armature/armature.hpp>

#include "bench/answers.hpp"
#include "bench/rows.hpp"
#include "bench/sample.hpp"

namespace armature::bench {

namespace {

/// Computes where the rank is.
void compute_until(const std::stop_token& end) {
  while (!end.stop_requested()) {
  }
}

struct Counted {
  [[nodiscard]] std::int64_t nothing() const { return 0; }
};

class Rows {
 public:
  Rows(World& world, const Settings& settings)
      : world_(world), settings_(settings), heap_(world.allocate<double>(16)), counted_(world) {}

  void all() {
    row("net.put.crowded", 8, [&] {
      put(heap_.on(1), 1.0);
      fence(1);
    });
    row("net.fadd.crowded", 8,
        [&] { keep(fetch_add(heap_.on(1).cast<void>().cast<std::int64_t>() + 8, 1)); });
    row("net.rpc.crowded", 0, [&] { keep(counted_.sync(1, &Counted::nothing)); });
    world_.free(heap_);
  }

 private:
  /// Rank 1 waits in the library.
  template <class Op>
  void row(const std::string& name, std::size_t bytes, Op op) {
    if (!wanted(settings_.only, name)) return;
    const Answers answers(world_);
    auto ask = [&] {
      double word = 0;
      answers.ask(sizeof word);
      answers.take_asleep(&word, sizeof word);
    };
    const std::jthread neighbour(compute_until);
    world_.barrier();
    if (world_.rank() == 0) {
      constexpr std::size_t batch = 50;
      double ns = 0, limit_ns = 0, calls = 0;
      const double end = now_ns() + 2 * settings_.effort.budget_ns;
      for (time_of(op, batch); calls == 0 || now_ns() < end; calls += batch) {
        ns += time_of(op, batch);
        limit_ns += time_of(ask, batch);
      }
      settings_.report(
          {.op = name, .bytes = bytes, .ns = ns / calls, .limit_ns = limit_ns / calls});
    }
    world_.barrier();
  }

  World& world_;
  const Settings& settings_;
  Piece<double> heap_;
  shared<Counted> counted_;
};

}  // namespace

void net_crowded_rows(World& world, const Settings& settings) { Rows(world, settings).all(); }

}  // namespace armature::bench

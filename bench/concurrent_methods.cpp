#include <atomic>
#include <cstddef>
#include <string>

#include <armature/armature.hpp>
#include <armature/concurrent.hpp>

#include "bench/computing.hpp"
#include "bench/rows.hpp"

// Methods that compute for a while, on a rank whose methods have two threads: declared as
// concurrent, beside the same ones one at a time.

namespace armature::bench {
namespace {

constexpr double method_ns = 10'000;

/// The target of all calls.
class Worker {
 public:
  void beside(std::size_t rounds) { work(rounds); }
  void alone(std::size_t rounds) { work(rounds); }
  [[nodiscard]] std::size_t calls() const { return calls_.load(); }
  using concurrent_methods = armature::concurrent_methods<&Worker::beside>;

 private:
  void work(std::size_t rounds) {
    compute(rounds);
    calls_.fetch_add(1, std::memory_order_relaxed);
  }
  std::atomic<std::size_t> calls_{0};
};

}  // namespace

void concurrent_rows(Stage& stage) {
  const std::size_t methods = stage.effort().burst / 25;
  shared<Worker> workers(stage.world());
  const std::size_t rounds = broadcast(stage.world(), rounds_of(method_ns), 0);
  std::size_t sent = 0;
  const auto call = [&](auto method) {
    if (stage.acts())
      for (std::size_t i = 0; i < methods; ++i, ++sent) workers.async(1, method, rounds);
    rmi_fence();
  };
  stage.together(
      {"rpc.concurrent", 0, static_cast<double>(methods)}, [&] { call(&Worker::beside); },
      [&] { call(&Worker::alone); });
  const std::size_t all = broadcast(stage.world(), sent, 0);
  if (!stage.acts() && workers->calls() != all)
    abort(1, "bench: " + std::to_string(workers->calls()) + " methods of " + std::to_string(all) +
                 " were executed");
}

}  // namespace armature::bench

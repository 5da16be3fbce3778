// The plain version: the same shares, the same kernels and the same steps, but the shares lie in
// this process, so that every block is read where it is, and the barrier is the standard library's.
#include "lu_threads.hpp"

#include <sched.h>

#include <barrier>
#include <chrono>
#include <thread>
#include <vector>

#include "factor.hpp"
#include "residual.hpp"

namespace lu {
namespace {

using Shares = std::vector<std::vector<double>>;

class ThreadMatrix {
 public:
  ThreadMatrix(const Layout& layout, int me, Shares& shares, std::barrier<>& barrier)
      : layout_(layout), me_(me), shares_(shares), barrier_(barrier) {}

  const Layout& layout() const { return layout_; }
  int me() const { return me_; }
  Block block(int i, int j) const { return read(i, j, 0); }
  Block read(int i, int j, int /*slot*/) const {
    const auto owner = static_cast<std::size_t>(layout_.owner(i, j));
    return layout_.locate(shares_[owner].data(), i, j);
  }
  void finish_reads() const {}
  void barrier() const { barrier_.arrive_and_wait(); }

 private:
  const Layout& layout_;
  int me_;
  Shares& shares_;
  std::barrier<>& barrier_;
};

// A rank may be bound to one core, and threads inherit that: let them use every core there is.
void use_all_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (int core = 0; core < CPU_SETSIZE; ++core) CPU_SET(core, &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

}  // namespace

Outcome factor_with_threads(const Layout& layout) {
  const int workers = layout.shape().ranks;
  Shares shares(static_cast<std::size_t>(workers));
  std::barrier barrier(workers);
  Outcome outcome;
  std::vector<std::jthread> threads;
  for (int me = 0; me < workers; ++me) {
    threads.emplace_back([&, me] {
      use_all_cores();
      auto& share = shares[static_cast<std::size_t>(me)];
      share.resize(layout.footprint(me));
      fill_share(layout, me, share.data());
      ThreadMatrix matrix(layout, me, shares, barrier);
      matrix.barrier();
      const auto start = std::chrono::steady_clock::now();
      Factorisation(matrix).run();
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
      if (me == 0) outcome.seconds = spent.count();
    });
  }
  threads.clear();  // joins
  outcome.residual = check_factors(layout, [&](auto add) {
    std::vector<double> sum(static_cast<std::size_t>(layout.shape().n));
    for (int rank = 0; rank < workers; ++rank) {
      add(rank, shares[static_cast<std::size_t>(rank)].data(), std::span(sum));
    }
    return sum;
  });
  return outcome;
}

}  // namespace lu

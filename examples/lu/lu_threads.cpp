// The plain version has the same shares, the same kernels and the same steps. But the shares lie in
// this process, so that every block is read where it is, and waiting is the standard library's.
#include "lu_threads.hpp"

#include <sched.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <thread>
#include <vector>

#include "factor.hpp"
#include "residual.hpp"

namespace lu {
namespace {

using Shares = std::vector<std::vector<double>>;

/// How often each worker has announced something to each other one.
class Announcements {
 public:
  explicit Announcements(int workers)
      : workers_(static_cast<std::size_t>(workers)), counts_(workers_ * workers_) {}
  std::atomic<int>& count(int from, int to) {
    return counts_[static_cast<std::size_t>(from) * workers_ + static_cast<std::size_t>(to)];
  }

 private:
  std::size_t workers_;
  std::vector<std::atomic<int>> counts_;
};

class ThreadMatrix {
 public:
  ThreadMatrix(const Layout& layout, int me, Shares& shares, Announcements& announcements,
               std::barrier<>& barrier)
      : layout_(layout),
        me_(me),
        shares_(shares),
        announcements_(announcements),
        awaited_(static_cast<std::size_t>(layout.shape().ranks)),
        barrier_(barrier) {}

  const Layout& layout() const { return layout_; }
  int me() const { return me_; }
  Block block(int i, int j) const { return read(i, j, 0); }
  Block read(int i, int j, int /*slot*/) const {
    const auto owner = static_cast<std::size_t>(layout_.owner(i, j));
    return layout_.locate(shares_[owner].data(), i, j);
  }
  void finish_reads() const {}
  // Release and acquire: with the count comes what was written before.
  void announce(int worker) {
    std::atomic<int>& count = announcements_.count(me_, worker);
    count.fetch_add(1, std::memory_order_release);
    count.notify_one();
  }
  void await(int worker) {
    const std::atomic<int>& count = announcements_.count(worker, me_);
    const int wanted = ++awaited_[static_cast<std::size_t>(worker)];
    for (int now; (now = count.load(std::memory_order_acquire)) < wanted;)
      count.wait(now, std::memory_order_acquire);
  }
  void barrier() const { barrier_.arrive_and_wait(); }
  void finish_step(int /*k*/) const {}

 private:
  const Layout& layout_;
  int me_;
  Shares& shares_;
  Announcements& announcements_;
  std::vector<int> awaited_;  // of each worker
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
  Announcements announcements(workers);
  std::barrier barrier(workers);
  Outcome outcome;
  std::vector<std::jthread> threads;
  for (int me = 0; me < workers; ++me) {
    threads.emplace_back([&, me] {
      use_all_cores();
      auto& share = shares[static_cast<std::size_t>(me)];
      share.resize(layout.footprint(me));
      fill_share(layout, me, share.data());
      ThreadMatrix matrix(layout, me, shares, announcements, barrier);
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

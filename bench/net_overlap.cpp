// How much of a transfer from another node computing hides: armci-rma-2006, figure 19, where ever
// more computing is put between a get and its wait. There a network card moved the bytes; here both
// cores do when nobody computes, and the other one alone when one does, which takes longer. So what
// computing hides is measured for as long as the get takes, and for twice as long.
#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <armature/armature.hpp>

#include "bench/answers.hpp"
#include "bench/computing.hpp"
#include "bench/rows.hpp"

namespace armature::bench {

namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;
constexpr std::size_t elements = 2 * mebi / sizeof(double);

class Rows {
 public:
  Rows(World& world, const Settings& settings)
      : world_(world),
        settings_(settings),
        heap_(world.allocate<double>(elements)),
        local_(elements) {}

  void all() {
    library_rows();
    tcp_row();
    world_.free(heap_);
  }

 private:
  void library_rows() {
    world_.barrier();
    if (world_.rank() == 0) {
      const auto get = [&] { return get_async(local_.data(), heap_.on(1), elements / 2); };
      overlap_row("net.overlap", 1, get);
      overlap_row("net.overlap.twice", 2, get);
      const auto put = [&] { return put_async(heap_.on(1), local_.data(), elements / 2); };
      overlap_row("net.overlap.put", 2, put);
      const auto add = [&] { return accumulate_async(heap_.on(1), local_.data(), elements / 2); };
      overlap_row("net.overlap.acc", 2, add);
      issue_row("net.issue.put", [&] { return put_async(heap_.on(1), local_); });
      issue_row("net.issue.acc", [&] { return accumulate_async(heap_.on(1), local_); });
      const Lists lists(heap_.on(1).address(), local_.data());
      issue_row("net.issue.getv", [&] { return get_vector_async(Rank(1), lists.iov()); });
      notify(1);
    } else if (world_.rank() == 1) {
      wait_notify(0);
    }
    world_.barrier();
  }

  /// Every second line of 512 bytes.
  class Lists {
   public:
    Lists(double* there, double* here) {
      for (std::size_t at = 0; at < elements; at += 2 * line) {
        from_.push_back(there + at);
        to_.push_back(here + at);
      }
      lists_[0] = {to_, from_, line * sizeof(double)};
    }
    [[nodiscard]] std::span<const Iov> iov() const { return lists_; }

   private:
    static constexpr std::size_t line = 64;
    std::vector<void*> to_;
    std::vector<const void*> from_;
    std::array<Iov, 1> lists_;
  };

  template <class Start>
  void overlap_row(const std::string& name, int times, Start start) {
    report(
        name, times, [&] { start().wait(); },
        [&](std::size_t rounds) {
          Handle handle = start();
          compute(rounds);
          handle.wait();
        });
  }

  /// How long the call takes that begins a transfer; the limit is the whole transfer.
  template <class Start>
  void issue_row(const std::string& name, Start start) {
    if (!wanted(settings_.only, name)) return;
    std::vector<double> issued_ns, whole_ns;
    for (int i = 0; i < std::max(settings_.effort.batches, 21); ++i) {
      Handle handle;
      auto begin = [&] { handle = start(); };
      issued_ns.push_back(time_of(begin, 1));
      handle.wait();
      auto whole = [&] { start().wait(); };
      whole_ns.push_back(time_of(whole, 1));
    }
    const Timing timing = pair_in_the_middle(issued_ns, whole_ns);
    settings_.report({.op = name, .bytes = 2 * mebi, .ns = timing.ns, .limit_ns = timing.limit_ns});
  }

  /// The limit by hand: a thread that sleeps until the bytes are there takes them, another one of
  /// rank 1 gives them. Both cores can do no more while one of them computes.
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

  /// Reports how long `fetch` is still to be waited for after computing so many times as long as it
  /// takes.
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

}  // namespace armature::bench

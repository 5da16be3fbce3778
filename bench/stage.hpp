#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <armature/armature.hpp>

#include "bench/limits.hpp"
#include "bench/row.hpp"
#include "bench/sample.hpp"

// The rows are measured on a stage: two ranks, of which rank 0 acts on memory of rank 1. Both run
// the same code, row by row; a Stage knows who does what. The limits work on the same bytes of rank
// 1's segment as the operations, through a plain pointer. There may be more ranks, and no memory,
// where rows are about calls and what all do together.

namespace armature::bench {

inline constexpr std::size_t heap_bytes = std::size_t{32} << 20;
inline constexpr std::size_t counter_offset = std::size_t{24} << 20;

/// The target waits or computes while rank 0 acts on its memory.
enum class Target { waiting, computing };

/// The name of a row, and what its time is divided by.
struct Subject {
  std::string op;
  std::size_t bytes = 0;
  double per = 1;
};

/// How the two ranks talk while a row is being measured: words in rank 1's segment.
struct Channel {
  enum Task : int { idle, operation, limit, end };

  alignas(64) std::atomic<int> task{idle};
  alignas(64) std::atomic<int> doing{idle};
  alignas(64) std::atomic<int> stop{0};
  alignas(64) std::atomic<std::int64_t> counter{0};
  limits::Barrier barrier;
  alignas(64) limits::Mutex mutex;
  limits::PingPong ping_pongs[8];        // of rank 0 with each
  limits::FutexWord futex_words[2];      // of each rank
  alignas(64) std::atomic<int> seen{0};  // of what rank 0 has told, and when
  std::atomic<double> seen_ns{0};
  limits::Ring ring;
};

struct Settings {
  std::vector<std::string> only;
  Effort effort;
  std::function<void(const Row&)> report;  // called at rank 0
  bool memory = true;                      // heap_bytes at each rank, local and for others
};

class Stage {
 public:
  Stage(World& world, Settings settings);

  [[nodiscard]] World& world() const { return world_; }
  [[nodiscard]] bool acts() const { return world_.rank() == 0; }
  [[nodiscard]] bool has(std::string_view op) const { return wanted(settings_.only, op); }
  [[nodiscard]] const Effort& effort() const { return settings_.effort; }

  /// Local memory of heap_bytes.
  [[nodiscard]] std::byte* bytes() const { return local_bytes_; }
  [[nodiscard]] double* doubles() const { return reinterpret_cast<double*>(bytes()); }
  /// Rank 1's memory of heap_bytes: for operations, and for their limits.
  [[nodiscard]] global_ptr<std::byte> remote_bytes() const { return heap_.on(1); }
  [[nodiscard]] global_ptr<double> remote() const {
    return heap_.on(1).cast<void>().cast<double>();
  }
  [[nodiscard]] double* remote_plain() const { return remote().direct(); }
  /// Rank r's memory, for rows in which both act on each other.
  [[nodiscard]] global_ptr<std::byte> heap_of(int rank) const { return heap_.on(rank); }
  [[nodiscard]] Channel& channel() const { return *channel_; }

  /// Rank 0 runs f while rank 1 waits in a barrier.
  template <class F>
  void alone(F&& f) const {
    world_.barrier();
    if (acts()) f();
    world_.barrier();
  }

  /// A row of what rank 0 does by itself, inside alone().
  template <class Op>
  void report_alone(const Subject& subject, Op op) const {
    const std::size_t calls = calls_in_batch(settings_.effort, op);
    std::vector<double> ns;
    for (int b = 0; b < settings_.effort.batches; ++b)
      ns.push_back(time_of(op, calls) / static_cast<double>(calls));
    report(subject, {.ns = median(std::move(ns)), .limit_ns = {}});
  }

  /// A row of what rank 0 does to rank 1; ".busy" when that computes.
  template <class Op, class Limit>
  void one_sided(Subject subject, Target target, Op op, Limit limit);

  /// A row of what rank 0 does to rank 1; its limit is the best of several ways to do it.
  template <class Op>
  void beside_best(const Subject& subject, Op op, const std::vector<std::function<void()>>& ways);

  /// A row of what both ranks do to the same memory without pause. The calls of `op` are for the
  /// caller to count, if he needs to.
  template <class Op, class Limit>
  void contended(const Subject& subject, Op op, Limit limit);

  /// A row of what all ranks do together, equally often. `limit` may be nullptr.
  template <class Op, class Limit>
  void together(const Subject& subject, Op op, Limit limit);

  /// A row of what rank 0 tells and rank 1 waits for, each time after rank 0 has computed for so
  /// long: the time from rank 0's call to the return of rank 1's.
  template <class Op, class Limit>
  void after_pauses(const Subject& subject, double pause_ns, Op op, Limit limit);

  /// A row that rank 0 has measured.
  void report(const Subject& subject, const Timing& timing) const;

 private:
  /// Arithmetic until `stop`, or for so long that rank 0 must be stuck; no call of the library.
  void compute() const;
  template <class F>
  double together_ns(F& f, std::size_t rounds);
  template <class F>
  std::size_t rounds_together(F& f);
  template <class Op, class Limit>
  void hammer(Op& op, Limit& limit);

  World& world_;
  Settings settings_;
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::unique_ptr<std::byte, Free> local_;
  std::byte* local_bytes_ = nullptr;
  Piece<std::byte> heap_;
  Piece<std::byte> channel_words_;
  Channel* channel_ = nullptr;
};

template <class Op, class Limit>
void Stage::one_sided(Subject subject, Target target, Op op, Limit limit) {
  if (target == Target::computing) subject.op += ".busy";
  if (!has(subject.op)) return;

  channel_->stop = 0;
  world_.barrier();
  if (acts()) {
    const double start = now_ns();
    op();
    const double first_ns = now_ns() - start;
    constexpr double stuck_ns =
        5e8;  // an operation that had to wait for its target stands as it is
    Timing timing{.ns = first_ns, .limit_ns = {}};
    if (first_ns < stuck_ns) timing = measure(settings_.effort, op, limit, [](bool) {});
    channel_->stop = 1;
    report(subject, timing);
  } else if (target == Target::computing) {
    compute();
  }
  world_.barrier();
}

template <class Op>
void Stage::beside_best(const Subject& subject, Op op,
                        const std::vector<std::function<void()>>& ways) {
  if (!has(subject.op)) return;
  alone([&] {
    const Effort& effort = settings_.effort;
    const std::size_t calls = calls_in_batch(effort, op);
    double op_ns = 0, best_ns = 0;
    // The shortest time of each: of many medians the lowest would be low by chance. Some ways leave
    // nothing in the cache for what comes after them, so each batch has a call before it.
    const auto time = [&](double& shortest, auto& f) {
      f();
      const double ns = time_of(f, calls) / static_cast<double>(calls);
      shortest = shortest == 0 ? ns : std::min(shortest, ns);
    };
    const double end = now_ns() + effort.budget_ns;
    for (int b = 0; b < effort.batches && (b < effort.batches_min || now_ns() < end); ++b) {
      time(op_ns, op);
      for (const auto& way : ways) time(best_ns, way);
    }
    report(subject, {.ns = op_ns, .limit_ns = best_ns});
  });
}

template <class Op, class Limit>
void Stage::hammer(Op& op, Limit& limit) {
  for (;;) {
    const int task = channel_->task.load(std::memory_order_acquire);
    channel_->doing.store(task, std::memory_order_release);
    if (task == Channel::end) return;
    while (channel_->task.load(std::memory_order_relaxed) == task) {
      if (task == Channel::operation) op();
      if (task == Channel::limit) limit();
    }
  }
}

template <class Op, class Limit>
void Stage::contended(const Subject& subject, Op op, Limit limit) {
  if (!has(subject.op)) return;
  channel_->task = Channel::idle;
  world_.barrier();
  if (acts()) {
    const auto give = [&](int task) {
      channel_->task.store(task, std::memory_order_release);
      while (channel_->doing.load(std::memory_order_acquire) != task) {
      }
    };
    const Timing timing = measure(settings_.effort, op, limit, [&](bool is_op) {
      give(is_op ? Channel::operation : Channel::limit);
    });
    give(Channel::end);
    report(subject, timing);
  } else {
    hammer(op, limit);
  }
  world_.barrier();
}

template <class F>
double Stage::together_ns(F& f, std::size_t rounds) {
  world_.barrier();
  return time_of(f, rounds) / static_cast<double>(rounds);
}

/// How many rounds make a batch: rank 0 tries ever more and decides for all. The quicker of two
/// tries counts: the first round of all opens channels, and others may be running.
template <class F>
std::size_t Stage::rounds_together(F& f) {
  constexpr double rounds_max = 20000;
  const double batch_ns = settings_.effort.batch_ns * 5;
  double rounds = 1;
  for (std::size_t tried = 1;; tried *= 4) {
    rounds = batch_ns / std::min(together_ns(f, tried), together_ns(f, tried));
    const bool sure = rounds < 4.0 * static_cast<double>(tried) || tried >= 256;
    if (broadcast(world_, sure, 0)) break;
  }
  return broadcast(world_, static_cast<std::size_t>(std::clamp(rounds, 1.0, rounds_max)), 0);
}

template <class Op, class Limit>
void Stage::together(const Subject& subject, Op op, Limit limit) {
  if (!has(subject.op)) return;
  constexpr bool has_limit = !std::is_null_pointer_v<Limit>;
  const std::size_t op_rounds = rounds_together(op);
  std::size_t limit_rounds = 0;
  if constexpr (has_limit) limit_rounds = rounds_together(limit);

  std::vector<double> op_ns, limit_ns;
  const double end = now_ns() + settings_.effort.budget_ns;
  for (int b = 0; b < (settings_.effort.batches + 1) / 2; ++b) {
    op_ns.push_back(together_ns(op, op_rounds));
    if constexpr (has_limit) limit_ns.push_back(together_ns(limit, limit_rounds));
    if (broadcast(world_, b + 1 >= settings_.effort.batches_min && now_ns() > end, 0)) break;
  }
  if (!acts()) return;
  if constexpr (has_limit)
    report(subject, pair_in_the_middle(op_ns, limit_ns));
  else
    report(subject, {.ns = median(std::move(op_ns)), .limit_ns = {}});
}

template <class Op, class Limit>
void Stage::after_pauses(const Subject& subject, double pause_ns, Op op, Limit limit) {
  if (!has(subject.op)) return;
  int number = 0;
  const auto time = [&](auto& f) {
    ++number;
    if (!acts()) {
      f();
      channel_->seen_ns = now_ns();
      channel_->seen = number;
      return 0.0;
    }
    for (const double end = now_ns() + pause_ns; now_ns() < end;) {
    }
    const double told_ns = now_ns();
    f();
    while (channel_->seen != number) {
    }
    return channel_->seen_ns - told_ns;
  };
  std::vector<double> op_ns, limit_ns;
  const int rounds = 3 * settings_.effort.batches;
  world_.barrier();
  for (int i = 0; i < rounds; ++i) {
    op_ns.push_back(time(op));
    limit_ns.push_back(time(limit));
  }
  if (acts()) {
    report(subject, {.ns = median(std::move(op_ns)), .limit_ns = median(std::move(limit_ns))});
    channel_->seen = 0;
  }
  world_.barrier();
}

}  // namespace armature::bench

#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

// How a nanosecond is measured on a machine that does other things too. An operation and its limit
// are timed in short batches that take turns, so that whatever slows the machine down hits both. A
// batch is long against the clock and short against a time slice. The one in the middle counts.
// Measuring first all limits and then all operations was rejected: on a shared machine the two
// halves are not comparable.

namespace armature::bench {

inline double now_ns() {
  using namespace std::chrono;
  return duration<double, std::nano>(steady_clock::now().time_since_epoch()).count();
}

/// The compiler must have computed `value`, and must assume that all memory has changed.
template <class T>
[[gnu::always_inline]] inline void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

/// Hides from the compiler what the value is.
template <class T>
[[gnu::always_inline]] inline T hidden(T value) {
  asm volatile("" : "+r"(value));
  return value;
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// How much time a row may take.
struct Effort {
  double batch_ns = 3e5;
  int batches = 61;
  int batches_min = 5;  // however long each takes: disks and networks have their moments
  double budget_ns = 6e8;
  std::size_t burst = 100'000;  // calls without a pause, where that is what a row is about

  static Effort quick() {
    return {.batch_ns = 3e4, .batches = 7, .batches_min = 3, .budget_ns = 2e7, .burst = 5'000};
  }
};

struct Timing {
  double ns = 0;
  std::optional<double> limit_ns;
};

/// Takes, of times measured in turns, the two whose ratio is in the middle. Not the medians of
/// both: the machine changes its speed, and two times belong together.
inline Timing pair_in_the_middle(const std::vector<double>& op_ns,
                                 const std::vector<double>& limit_ns) {
  std::vector<std::size_t> order(op_ns.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
  std::nth_element(order.begin(), middle, order.end(), [&](std::size_t a, std::size_t b) {
    return op_ns[a] * limit_ns[b] < op_ns[b] * limit_ns[a];
  });
  return {op_ns[*middle], limit_ns[*middle]};
}

/// Nanoseconds that n calls of f take.
template <class F>
double time_of(F& f, std::size_t n) {
  const double start = now_ns();
  for (std::size_t i = 0; i < n; ++i) f();
  return now_ns() - start;
}

/// How many calls of f make a batch.
template <class F>
std::size_t calls_in_batch(const Effort& effort, F& f) {
  constexpr std::size_t calls_max = std::size_t{1} << 24;
  time_of(f, 1);
  std::size_t n = 1;
  while (n < calls_max && time_of(f, n) < effort.batch_ns / 2) n *= 2;
  return n;
}

/// Batches of `op` and `limit` taking turns. `before(is_op)` is called before each batch.
template <class Op, class Limit, class Before>
Timing measure(const Effort& effort, Op& op, Limit& limit, Before&& before) {
  before(true);
  const std::size_t op_calls = calls_in_batch(effort, op);
  before(false);
  const std::size_t limit_calls = calls_in_batch(effort, limit);

  std::vector<double> op_ns, limit_ns;
  const auto batch = [&](bool is_op) {
    before(is_op);
    if (is_op)
      op_ns.push_back(time_of(op, op_calls) / static_cast<double>(op_calls));
    else
      limit_ns.push_back(time_of(limit, limit_calls) / static_cast<double>(limit_calls));
  };
  const double end = now_ns() + effort.budget_ns;
  for (int b = 0; b < effort.batches && (b < effort.batches_min || now_ns() < end); ++b) {
    batch(b % 2 == 0);
    batch(b % 2 != 0);
  }
  return pair_in_the_middle(op_ns, limit_ns);
}

}  // namespace armature::bench

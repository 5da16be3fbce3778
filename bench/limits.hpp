#pragma once

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

// Limits are what a programmer would write by hand if the other rank's memory were an array of his
// own: the floor under every row. Loops whose speed depends on the instruction set are compiled for
// several, in limits.cpp.

namespace armature::bench::limits {

/// to[i] = from[i * gather_step]
inline constexpr std::size_t gather_step = 3;
extern void (*const gather)(double* to, const double* from, std::size_t count);
/// x[i] += a * y[i]
extern void (*const axpy)(double* x, const double* y, double a, std::size_t count);

/// n rows of n doubles.
inline void copy_patch(double* to, std::size_t to_width, const double* from, std::size_t from_width,
                       std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    std::memcpy(to + i * to_width, from + i * from_width, n * sizeof(double));
}

/// The barrier of processes that spin, or yield where they share cores: the last to arrive turns
/// the sense.
struct Barrier {
  alignas(64) std::atomic<int> arrived{0};
  alignas(64) std::atomic<int> sense{0};

  template <bool yields>
  void wait(int ranks, int& mine) {
    mine ^= 1;
    if (arrived.fetch_add(1) == ranks - 1) {
      arrived.store(0);
      sense.store(mine);
      return;
    }
    while (sense.load() != mine)
      if constexpr (yields) sched_yield();
  }
};

/// A word there and a word back, each on a cache line of its own.
class PingPong {
 public:
  template <bool yields>
  void ask() {
    const std::int64_t number = there_.load(std::memory_order_relaxed) + 1;
    there_.store(number, std::memory_order_release);
    see<yields>(back_, number);
  }
  template <bool yields>
  void answer() {
    answer<yields>([] {});
  }
  /// Answers, and does something between.
  template <bool yields, class Do>
  void answer(Do&& act) {
    const std::int64_t number = back_.load(std::memory_order_relaxed) + 1;
    see<yields>(there_, number);
    act();
    back_.store(number, std::memory_order_release);
  }

 private:
  template <bool yields>
  static void see(const std::atomic<std::int64_t>& word, std::int64_t number) {
    while (word.load(std::memory_order_acquire) != number)
      if constexpr (yields) sched_yield();
  }
  alignas(64) std::atomic<std::int64_t> there_{0};
  alignas(64) std::atomic<std::int64_t> back_{0};
};

/// A word for which its reader sleeps by a futex if it is not there at once.
class FutexWord {
 public:
  void tell() {
    word_.fetch_add(1, std::memory_order_release);
    syscall(SYS_futex, &word_, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  }
  /// Waits until that has been done so many times.
  void see(std::uint32_t times) {
    for (std::uint32_t seen = 0; (seen = word_.load(std::memory_order_acquire)) < times;)
      syscall(SYS_futex, &word_, FUTEX_WAIT, seen, nullptr, nullptr, 0);
  }

 private:
  alignas(64) std::atomic<std::uint32_t> word_{0};
};

/// A ring of cache lines, one for each word that goes from a rank to another: its turn says whose
/// it is.
class Ring {
 public:
  /// The next n words; waits until the last of them is taken.
  void give(std::size_t n) {
    const std::uint64_t end = given_ + n;
    for (std::uint64_t i = given_; i < end; ++i) {
      Slot& slot = slots_[i % slots];
      see(slot, 2 * (i / slots));
      slot.word = i;
      slot.turn.store(2 * (i / slots) + 1, std::memory_order_release);
    }
    given_ = end;
    see(slots_[(end - 1) % slots], 2 * ((end - 1) / slots) + 2);
  }
  /// Takes them, and returns their sum.
  std::uint64_t take(std::size_t n) {
    std::uint64_t sum = 0;
    const std::uint64_t end = taken_ + n;
    for (std::uint64_t i = taken_; i < end; ++i) {
      Slot& slot = slots_[i % slots];
      see(slot, 2 * (i / slots) + 1);
      sum += slot.word;
      slot.turn.store(2 * (i / slots) + 2, std::memory_order_release);
    }
    taken_ = end;
    return sum;
  }

 private:
  static constexpr std::uint64_t slots = 1024;
  struct alignas(64) Slot {
    std::atomic<std::uint64_t> turn{0};
    std::uint64_t word = 0;
  };
  static void see(const Slot& slot, std::uint64_t turn) {
    while (slot.turn.load(std::memory_order_acquire) != turn) {
    }
  }

  Slot slots_[slots];
  alignas(64) std::uint64_t given_ = 0;  // the giver's
  alignas(64) std::uint64_t taken_ = 0;  // the taker's
};

/// A mutex of several processes.
class Mutex {
 public:
  Mutex() {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&mutex_, &attributes);
    pthread_mutexattr_destroy(&attributes);
  }
  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_;
};

}  // namespace armature::bench::limits

#pragma once

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

// What a programmer would write by hand if the other rank's memory were an array of his own: the
// floor under every row. Loops whose speed depends on the instruction set are compiled for several,
// in limits.cpp.

namespace armature::tools::bench::limits {

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

}  // namespace armature::tools::bench::limits

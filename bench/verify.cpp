#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bench/rows.hpp"

// A fast wrong answer is worth nothing: every kind of operation is tried once before it is timed.

namespace armature::bench {

namespace {

constexpr std::size_t count = 8192;

void check(bool good, std::string_view what) {
  if (!good) abort(1, "bench: wrong result of " + std::string(what));
}

void number(double* values, std::size_t values_count, double first) {
  for (std::size_t i = 0; i < values_count; ++i) values[i] = first + static_cast<double>(i);
}

void verify_contiguous(const Stage& stage) {
  double* const local = stage.doubles();
  const auto remote = stage.remote();
  stage.alone([&] {
    number(local, count, 0);
    put(remote, local, count);
    fence(1);
    get(local + count, remote, count);
    check(std::equal(local, local + count, local + count), "get");
    put(remote + count, 5.5);
    check(get(remote + count) == 5.5, "put or get of a value");
  });
  const double* const mine = stage.heap_of(1).cast<void>().cast<double>().address();
  if (!stage.acts()) {
    for (std::size_t i = 0; i < count; ++i) check(mine[i] == static_cast<double>(i), "put");
    check(mine[count] == 5.5, "put of a value");
  }
  stage.alone([&] {
    number(local, 1000, 100);
    for (std::ptrdiff_t i = 0; i < 1000; ++i) put_nbi(remote + i * 617 % 1000 * 8, local[i]);
    wait_all();
    fence(1);
    for (std::ptrdiff_t i = 0; i < 1000; ++i)
      check(get(remote + i * 617 % 1000 * 8) == local[i], "nbput1000");
  });
}

void verify_patches(const Stage& stage) {
  double* const local = stage.doubles();
  for (const std::size_t n : {std::size_t{1}, std::size_t{8}, std::size_t{64}})
    stage.alone([&] {
      const SquarePatch patch{n};
      number(local, n * n, 1);
      std::fill_n(local + n * n, n * n, 0.0);
      patch.put(stage.remote(), local);
      fence(1);
      patch.get(local + n * n, stage.remote());
      check(std::equal(local, local + n * n, local + n * n), "put2d or get2d");
      const auto last = (n - 1) * SquarePatch::matrix_width + n - 1;
      check(stage.remote_plain()[last] == local[n * n - 1], "put2d");
    });
}

void verify_gather(const Stage& stage) {
  stage.alone([&] {
    double* const local = stage.doubles();
    number(local, count, 0);
    put(stage.remote(), local, count);
    fence(1);
    const Gather gather(stage);
    for (const auto form : {&Gather::by_vector, &Gather::by_subarray, &Gather::by_aggregate}) {
      std::fill_n(local, Gather::count, -1.0);
      (gather.*form)();
      for (std::size_t i = 0; i < Gather::count; ++i)
        check(local[i] == static_cast<double>(Gather::step * i), "gather");
    }
  });
}

void verify_accumulate(const Stage& stage) {
  double* const local = stage.doubles();
  const auto remote = stage.remote();
  stage.alone([&] {
    number(local, count, 0);
    put(remote, local, count);
    accumulate(remote, local, count, {.scale = 0.5});
    fence(1);
    get(local + count, remote, count);
    for (std::size_t i = 0; i < count; ++i) check(local[count + i] == 1.5 * local[i], "acc");
  });
}

/// A plain counter that both ranks raise shows that the mutex excludes.
void verify_lock(const Stage& stage) {
  constexpr std::int64_t rounds = 1000;
  Mutexes mutexes = stage.world().create_mutexes(1);
  auto* const inside =
      reinterpret_cast<std::int64_t*>(stage.remote_bytes().direct() + counter_offset + 128);
  for (std::int64_t i = 0; i < rounds; ++i) {
    const auto guard = mutexes.guard(1, 0);
    ++*inside;
    keep(*inside);
  }
  stage.world().barrier();
  check(*inside == 2 * rounds, "lock");
  stage.world().destroy_mutexes(mutexes);
}

}  // namespace

void verify(const Stage& stage) {
  verify_contiguous(stage);
  verify_patches(stage);
  verify_gather(stage);
  verify_accumulate(stage);
  verify_lock(stage);
  check(allreduce(stage.world(), 1.0) == 2.0, "allreduce");
  stage.alone([&] {
    std::fill_n(stage.doubles(), heap_bytes / sizeof(double), 1.0);
    std::fill_n(stage.remote_plain(), heap_bytes / sizeof(double), 0.0);
  });
}

}  // namespace armature::bench

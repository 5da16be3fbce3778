#include <atomic>
#include <cstdint>

#include "bench/rows.hpp"

// Fetch-and-add and mutexes.

namespace armature::bench {

void atomic_rows(Stage& stage) {
  const auto counter = (stage.remote_bytes() + static_cast<std::ptrdiff_t>(counter_offset))
                           .cast<void>()
                           .cast<std::int64_t>();
  const auto op = [=] { keep(fetch_add(counter, 1)); };
  std::atomic<std::int64_t>& plain = stage.channel().counter;
  const auto limit = [&plain] { keep(plain.fetch_add(1)); };
  stage.one_sided({"fadd", 8}, Target::waiting, op, limit);
  stage.one_sided({"fadd", 8}, Target::computing, op, limit);

  const auto start = get(counter);
  stage.world().barrier();
  std::int64_t calls = 0;
  stage.contended(
      {"fadd.contended", 8},
      [&] {
        op();
        ++calls;
      },
      limit);
  const std::int64_t sum = allreduce(stage.world(), calls);
  if (get(counter) - start != sum) abort(1, "fadd.contended: fetch_add has lost updates");
}

void lock_rows(Stage& stage) {
  Mutexes mutexes = stage.world().create_mutexes(1);
  const auto op = [&mutexes] {
    mutexes.lock(1, 0);
    mutexes.unlock(1, 0);
  };
  limits::Mutex& plain = stage.channel().mutex;
  const auto limit = [&plain] {
    plain.lock();
    plain.unlock();
  };
  stage.one_sided({"lock", 8}, Target::waiting, op, limit);
  stage.one_sided({"lock", 8}, Target::computing, op, limit);

  stage.contended({"lock.contended", 8}, op, limit);
  stage.world().destroy_mutexes(mutexes);
}

}  // namespace armature::bench

#include <atomic>
#include <cstdint>
#include <string>

#include "bench/rows.hpp"

// Fetch-and-add, mutexes, and what all ranks do together.

namespace armature::tools::bench {

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
  const std::int64_t sum = stage.world().allreduce(calls);
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

void collective_rows(Stage& stage) {
  World& world = stage.world();
  const std::string tail = ".p" + std::to_string(world.size());
  const auto barrier = [&world] { world.barrier(); };
  int sense = 0;  // of this rank
  limits::Barrier& plain = stage.channel().barrier;
  if (world.size() == 2)
    stage.together({"barrier" + tail}, barrier, [&] { plain.wait<false>(2, sense); });
  else
    stage.together({"barrier" + tail}, barrier, [&] { plain.wait<true>(world.size(), sense); });
  stage.together(
      {"allreduce8" + tail}, [&world] { keep(world.allreduce(1.0)); }, nullptr);
}

}  // namespace armature::tools::bench

#include <atomic>
#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "bench/rows.hpp"
#include "copies/choice.hpp"

// Contiguous transfers: blocking, in windows of non-blocking ones, typed values, and against each
// other.

namespace armature::bench {

namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;
constexpr std::size_t sizes[] = {8, 64, 4096, 65536, mebi, 16 * mebi};

/// One transfer again and again between the same buffers; `skewed`: the local one lies 16 bytes
/// further into its page than the remote one.
void blocking_rows(Stage& stage, std::size_t bytes, Target target, bool skewed = false) {
  const std::string form = skewed ? ".skewed" : "";
  std::byte* const local = stage.bytes() + (skewed ? 2048 + 16 : 0);
  const auto remote = stage.remote_bytes();
  std::byte* const plain = remote.direct();
  stage.one_sided(
      {"put" + form, bytes}, target,
      [=] {
        put(remote, local, hidden(bytes));
        keep(*plain);
      },
      [=] {
        std::memcpy(plain, local, hidden(bytes));
        keep(*plain);
      });
  stage.one_sided(
      {"get" + form, bytes}, target,
      [=] {
        get(local, remote, hidden(bytes));
        keep(*local);
      },
      [=] {
        std::memcpy(local, plain, hidden(bytes));
        keep(*local);
      });
}

/// A transfer beside the best way to copy that the library knows and this processor has: whether it
/// was chosen well.
void best_rows(Stage& stage, std::size_t bytes, bool skewed) {
  const std::string form = skewed ? ".best.skewed" : ".best";
  std::byte* const local = stage.bytes() + (skewed ? 2048 + 16 : 0);
  const auto remote = stage.remote_bytes();
  std::byte* const plain = remote.direct();
  const auto ways_of = [=](std::byte* to, const std::byte* from) {
    std::vector<std::function<void()>> ways;
    for (const auto& each : copies::candidates)
      if (each.is_there() && (!each.past_cache || bytes >= copies::past_cache_min()))
        ways.emplace_back([=, copy = each.copy] {
          copy(to, from, hidden(bytes));
          keep(*to);
        });
    return ways;
  };
  stage.beside_best(
      {"put" + form, bytes},
      [=] {
        put(remote, local, hidden(bytes));
        keep(*plain);
      },
      ways_of(plain, local));
  stage.beside_best(
      {"get" + form, bytes},
      [=] {
        get(local, remote, hidden(bytes));
        keep(*local);
      },
      ways_of(local, plain));
}

/// A window of transfers to different addresses, and one wait; the time is that of one.
void bandwidth_rows(Stage& stage, std::size_t bytes) {
  const std::size_t window = bytes <= 65536 ? 64 : bytes < 16 * mebi ? 8 : 2;
  const std::size_t step = bytes < 16 * mebi ? bytes : 0;
  std::byte* const local = stage.bytes();
  const auto remote = stage.remote_bytes();
  std::byte* const plain = remote.direct();
  const auto at = [=](std::size_t i) { return static_cast<std::ptrdiff_t>(i * step); };
  const auto copies = [=](std::byte* to, const std::byte* from) {
    for (std::size_t i = 0; i < window; ++i) std::memcpy(to + at(i), from + at(i), hidden(bytes));
    keep(*to);
  };
  const double per = static_cast<double>(window);
  stage.one_sided(
      {"put.bw", bytes, per}, Target::waiting,
      [=] {
        for (std::size_t i = 0; i < window; ++i)
          put_nbi(remote + at(i), local + at(i), hidden(bytes));
        wait_all();
        keep(*plain);
      },
      [=] { copies(plain, local); });
  stage.one_sided(
      {"get.bw", bytes, per}, Target::waiting,
      [=] {
        for (std::size_t i = 0; i < window; ++i)
          get_nbi(local + at(i), remote + at(i), hidden(bytes));
        wait_all();
        keep(*local);
      },
      [=] { copies(local, plain); });
}

/// Typed values: a store and a load; and a store that is known to have taken effect.
void value_rows(Stage& stage, Target target) {
  const auto remote = stage.remote();
  double* const plain = remote.direct();
  double* const local = stage.doubles();
  const auto store = [=] {
    *plain = *local;
    keep(*plain);
  };
  stage.one_sided(
      {"put.value", 8}, target,
      [=] {
        put(remote, *local);
        keep(*plain);
      },
      store);
  stage.one_sided(
      {"get.value", 8}, target,
      [=] {
        *local = get(remote);
        keep(*local);
      },
      [=] {
        *local = *plain;
        keep(*local);
      });
  stage.one_sided(
      {"put.fence", 8}, target,
      [=] {
        put(remote, *local);
        fence(1);
        keep(*plain);
      },
      store);
}

/// 1000 non-blocking puts of 8 bytes, each to a cache line of its own, and a wait; the time is that
/// of one.
void many_small_row(Stage& stage, Target target) {
  constexpr std::size_t puts = 1000;
  const auto remote = stage.remote();
  double* const plain = remote.direct();
  const double* const local = stage.doubles();
  const auto line = [](std::size_t i) { return static_cast<std::ptrdiff_t>(i * 617 % puts * 8); };
  stage.one_sided(
      {"nbput1000", 8, puts}, target,
      [=] {
        for (std::size_t i = 0; i < puts; ++i) put_nbi(remote + line(i), local[i]);
        wait_all();
        keep(*plain);
      },
      [=] {
        for (std::size_t i = 0; i < puts; ++i) plain[line(i)] = local[i];
        keep(*plain);
      });
}

}  // namespace

void contiguous_rows(Stage& stage) {
  for (const std::size_t bytes : sizes) {
    blocking_rows(stage, bytes, Target::waiting);
    bandwidth_rows(stage, bytes);
  }
  // Page-aligned memory on one side and a std::vector on the other lie so.
  for (const std::size_t bytes : {std::size_t{4096}, std::size_t{65536}})
    blocking_rows(stage, bytes, Target::waiting, true);
  for (const bool skewed : {false, true})
    for (const std::size_t bytes : {std::size_t{4096}, std::size_t{65536}, mebi, 16 * mebi})
      best_rows(stage, bytes, skewed);
  value_rows(stage, Target::waiting);
  many_small_row(stage, Target::waiting);
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{65536}})
    blocking_rows(stage, bytes, Target::computing);
  value_rows(stage, Target::computing);
  many_small_row(stage, Target::computing);
}

/// A put each way, each side seeing the other's by reading its own memory.
void pingpong_row(Stage& stage) {
  const auto flag_at = [&](int rank, std::size_t line) {
    const auto offset = static_cast<std::ptrdiff_t>(counter_offset + 4096 + line * 64);
    return (stage.heap_of(rank) + offset).cast<void>().cast<std::int64_t>();
  };
  const int me = stage.world().rank();
  const auto see = [](std::int64_t* flag, std::int64_t value) {
    while (std::atomic_ref(*flag).load(std::memory_order_acquire) != value) {
    }
  };
  const auto theirs = flag_at(1 - me, 0);
  std::int64_t* const mine = flag_at(me, 0).address();
  std::int64_t* const theirs_plain = flag_at(1 - me, 1).direct();
  std::int64_t* const mine_plain = flag_at(me, 1).address();
  std::int64_t round = 0, round_plain = 0;
  stage.together(
      {"put.pingpong", 8},
      [&] {
        ++round;
        if (me == 1) see(mine, round);
        put(theirs, round);
        if (me == 0) see(mine, round);
      },
      [&] {
        ++round_plain;
        if (me == 1) see(mine_plain, round_plain);
        std::atomic_ref(*theirs_plain).store(round_plain, std::memory_order_release);
        if (me == 0) see(mine_plain, round_plain);
      });
}

}  // namespace armature::bench

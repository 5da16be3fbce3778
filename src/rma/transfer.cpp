// What the inlined put and get leave over: wrong addresses, and full checking.
#include "armature/detail/transfer.hpp"

#include <fmt/format.h>

#include "armature/aggregate.hpp"
#include "armature/atomic.hpp"
#include "base/fail.hpp"
#include "progress/rank_context.hpp"

namespace armature::detail {
namespace {

/// Calls move(word) with a word of that size when such values move as one (as on the fast path):
/// never seen half written by others. False, and nothing done, for other sizes and addresses.
template <class Move>
bool as_one(const void* remote, std::size_t bytes, Move&& move) {
  if (bytes == 0 || reinterpret_cast<std::uintptr_t>(remote) % bytes != 0) return false;
  switch (bytes) {
    case 1:
      return move(Word<1>{}), true;
    case 2:
      return move(Word<2>{}), true;
    case 4:
      return move(Word<4>{}), true;
    case 8:
      return move(Word<8>{}), true;
    default:
      return false;
  }
}

}  // namespace

void put_slow(Rank rank, void* to, const void* from, std::size_t bytes, const char* call) {
  progress::mapping(call).require(rank, to, bytes, call);
  const bool moved = as_one(to, bytes, [&](auto word) {
    std::memcpy(&word, from, sizeof word);
    store(static_cast<decltype(word)*>(to), word);
  });
  if (!moved) copy_out(to, from, bytes);
}

void get_slow(Rank rank, void* to, const void* from, std::size_t bytes, const char* call) {
  progress::mapping(call).require(rank, from, bytes, call);
  const bool moved = as_one(from, bytes, [&](auto word) {
    word = load(static_cast<const decltype(word)*>(from));
    std::memcpy(to, &word, sizeof word);
  });
  if (!moved) copy_in(to, from, bytes);
}

void* atomic_target(Rank rank, void* address, std::size_t bytes, const char* call) {
  progress::mapping(call).require(rank, address, bytes, call);
  if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0)
    base::fail(
        Errc::bad_address,
        fmt::format("{}: {} of rank {} is not a multiple of {}: atomics need aligned addresses",
                    call, address, static_cast<int>(rank), bytes));
  return address;
}

void aggregate_check(Rank rank) { progress::mapping("Aggregate").require_rank(rank, "Aggregate"); }

void aggregate_other_rank(Rank bound, Rank given, const char* call) {
  base::fail(Errc::bad_rank,
             fmt::format("{}: this handle aggregates requests to rank {}, not to rank {}", call,
                         static_cast<int>(bound), static_cast<int>(given)));
}

}  // namespace armature::detail

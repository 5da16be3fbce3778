// What the inlined put and get leave over: wrong addresses, and full checking.
#include "armature/detail/transfer.hpp"

#include <fmt/format.h>

#include "armature/aggregate.hpp"
#include "armature/atomic.hpp"
#include "base/fail.hpp"
#include "progress/rank_context.hpp"

namespace armature::detail {

void put_slow(Rank rank, void* to, const void* from, std::size_t bytes, const char* call) {
  progress::mapping(call).require(rank, to, bytes, call);
  copy_out(to, from, bytes);
}

void get_slow(Rank rank, void* to, const void* from, std::size_t bytes, const char* call) {
  progress::mapping(call).require(rank, from, bytes, call);
  copy_in(to, from, bytes);
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

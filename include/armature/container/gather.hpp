#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "armature/collectives.hpp"
#include "armature/container/block_store.hpp"
#include "armature/container/blocks.hpp"
#include "armature/global_ptr.hpp"
#include "armature/marshal.hpp"
#include "armature/team.hpp"

// Collectives move bytes. These move whatever can be an argument of a remote call.

namespace armature::detail {

/// Collective: all[i] is member i's value, at every member.
template <Marshallable T>
std::vector<T> all_values(const Team& team, const T& mine) {
  if constexpr (Transferable<T>) {
    std::vector<T> all(static_cast<std::size_t>(team.size()), mine);
    allgather_bytes(team, &mine, sizeof(T), all.data());
    return all;
  } else {
    std::size_t bytes = 0;
    measure(bytes, mine);
    // Each begins where anything may.
    bytes = (bytes + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) *
            alignof(std::max_align_t);
    const BlockStore<std::byte> packed(team, Blocks::of(allgather(team, bytes)));
    Writer to(packed.mine());
    pack(to, mine);
    packed.fence();
    std::vector<std::byte> gathered(packed.blocks().size());
    packed.read(0, std::span<std::byte>(gathered));
    std::vector<T> all;
    for (int m = 0; m < team.size(); ++m) {
      const std::byte* const begin = gathered.data() + packed.blocks().first(m);
      Reader from(begin, begin, begin + packed.blocks().count(m));
      all.push_back(unpack<T>(from));
    }
    return all;
  }
}

/// Collective: the members' values, where they have one, combined in team order.
template <class T, class Op>
std::optional<T> combine_values(const Team& team, const std::optional<T>& mine, Op op) {
  const auto both = [&op](std::optional<T> a, const std::optional<T>& b) -> std::optional<T> {
    if (!a) return b;
    if (!b) return a;
    return op(*std::move(a), *b);
  };
  if constexpr (Transferable<std::optional<T>> && sizeof(std::optional<T>) <= reduced_bytes_max) {
    return allreduce(team, mine, both);
  } else {
    std::optional<T> sum;
    for (const auto& one : all_values(team, mine)) sum = both(std::move(sum), one);
    return sum;
  }
}

}  // namespace armature::detail

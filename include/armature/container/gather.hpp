#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "armature/global_ptr.hpp"
#include "armature/marshal.hpp"
#include "armature/shared.hpp"
#include "armature/team.hpp"

// Team's collectives move bytes. These move whatever can be an argument of a remote call.

namespace armature::detail {

template <class T>
struct Held {
  explicit Held(const T& v) : value(v) {}
  [[nodiscard]] T get() const { return value; }
  T value;
};

/// Collective: all[i] is member i's value, at every member.
template <Marshallable T>
std::vector<T> all_values(const Team& team, const T& mine) {
  if constexpr (Transferable<T>) {
    std::vector<T> all(static_cast<std::size_t>(team.size()), mine);
    team.allgather_bytes(&mine, sizeof(T), all.data());
    return all;
  } else {
    const shared<Held<T>> held(team, mine);
    std::vector<future<T>> asked;
    for (int m = 0; m < team.size(); ++m)
      asked.push_back(held.ask(team.world_rank(m), &Held<T>::get));
    std::vector<T> all;
    for (auto& one : asked) all.push_back(one.get());
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
  if constexpr (Transferable<std::optional<T>>) {
    return team.allreduce(mine, both);
  } else {
    std::optional<T> sum;
    for (const auto& one : all_values(team, mine)) sum = both(std::move(sum), one);
    return sum;
  }
}

}  // namespace armature::detail

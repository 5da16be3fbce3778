#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "armature/detail/many_calls.hpp"
#include "armature/error.hpp"
#include "armature/shared.hpp"
#include "armature/team.hpp"

// Calls to some of the ranks that have a representative of a shared object (armi-rmi-2003, 3.3:
// subsets, named by a group or by a function such as "every odd rank").

namespace armature {

namespace detail {
/// Throws Error(bad_argument).
[[noreturn]] ARMATURE_API void no_callees(const char* call);
}  // namespace detail

/// The representatives of a shared object on some ranks, in the order of these. It is made by
/// shared_ref::among, and may be passed around and kept. One rank calls, not collectively; the
/// caller need not be one of those ranks. The calls are those of shared_ref, to these ranks alone.
template <class T>
class shared_subset {
 public:
  shared_subset(shared_ref<T> object, std::vector<Rank> ranks)
      : object_(object), ranks_(std::move(ranks)) {}

  [[nodiscard]] const std::vector<Rank>& ranks() const { return ranks_; }

  template <class Member, class... Args>
  requires OneWayMethod<Member, T, Args...>
  void broadcast(Member method, const Args&... args) const {
    detail::tell_each<T>(callees(), method, args...);
  }
  template <class Member, class... Args>
  requires OneWayMethod<Member, T, Args...>
  [[nodiscard]] future<void> broadcast_async(Member method, const Args&... args) const {
    return detail::settle_each<T>(callees(), method, args...);
  }

  /// Throws Error(bad_argument) where there are no ranks.
  template <class Member, class Op = std::plus<>, class... Args>
  requires TwoWayMethod<Member, T, Args...>
  [[nodiscard]] auto reduce(Member method, Op op = {}, const Args&... args) const {
    if (ranks_.empty()) detail::no_callees("shared_subset::reduce");
    return detail::reduce_each<T>(callees(), method, op, args...);
  }
  template <class Member, class Op = std::plus<>, class... Args>
  requires TwoWayMethod<Member, T, Args...>
  [[nodiscard]] auto reduce_async(Member method, Op op = {}, const Args&... args) const {
    if (ranks_.empty()) detail::no_callees("shared_subset::reduce_async");
    return detail::reduce_each_later<T>(callees(), method, op, args...);
  }

 private:
  [[nodiscard]] auto callees() const {
    const auto rank_at = [this](std::size_t i) { return ranks_[i]; };
    return detail::Callees<decltype(rank_at)>{object_.id(), ranks_.size(), rank_at};
  }

  shared_ref<T> object_;
  std::vector<Rank> ranks_;
};

template <class T>
shared_subset<T> shared_ref<T>::among(const Team& members) const {
  std::vector<Rank> ranks;
  ranks.reserve(static_cast<std::size_t>(members.size()));
  for (int i = 0; i < members.size(); ++i) ranks.push_back(members.world_rank(i));
  return {*this, std::move(ranks)};
}

template <class T>
template <std::predicate<Rank> Holds>
shared_subset<T> shared_ref<T>::among(Holds&& holds) const {
  const Team& all = team();
  std::vector<Rank> ranks;
  for (int i = 0; i < all.size(); ++i)
    if (const Rank rank = all.world_rank(i); std::invoke(holds, rank)) ranks.push_back(rank);
  return {*this, std::move(ranks)};
}

}  // namespace armature

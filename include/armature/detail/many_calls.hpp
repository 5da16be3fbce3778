#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/detail/call.hpp"
#include "armature/detail/reply_state.hpp"
#include "armature/future.hpp"
#include "armature/object_id.hpp"
#include "armature/rank.hpp"
#include "armature/when.hpp"

// Calls of one rank to an object's representatives on many ranks: all of a team, or a subset.

namespace armature::detail {

template <class T, class Member, class... Args>
using MethodResult = ResultOf<Member, Args...>;

template <class T, class Member, class... Args>
auto ask_method(const Address& to, Member method, Args&&... args) {
  using R = MethodResult<T, Member, Args...>;
  Asking asking(to.rank);
  call_method<true, T>(to, asking.reply(), method, std::forward<Args>(args)...);
  return future<R>(std::make_shared<AnswerState<R>>(asking.keep(), to.rank));
}

/// The ranks that a call goes to: `rank_at(i)` is the i-th of `count`.
template <class RankAt>
struct Callees {
  ObjectId object;
  std::size_t count;
  RankAt rank_at;

  [[nodiscard]] Address at(std::size_t i) const { return {rank_at(i), object}; }
};

/// One-way calls, in order.
template <class T, class RankAt, class Member, class... Args>
void tell_each(const Callees<RankAt>& callees, Member method, const Args&... args) {
  for (std::size_t i = 0; i < callees.count; ++i)
    call_method<false, T>(callees.at(i), nullptr, method, args...);
}

/// Two-way calls; the answers have the order of the callees.
template <class T, class RankAt, class Member, class... Args>
auto ask_each(const Callees<RankAt>& callees, Member method, const Args&... args) {
  std::vector<future<MethodResult<T, Member, Args...>>> answers;
  answers.reserve(callees.count);
  for (std::size_t i = 0; i < callees.count; ++i)
    answers.push_back(ask_method<T>(callees.at(i), method, args...));
  return answers;
}

/// A future that is settled when all have executed the call. What they return is dropped.
template <class T, class RankAt, class Member, class... Args>
[[nodiscard]] future<void> settle_each(const Callees<RankAt>& callees, Member method,
                                       const Args&... args) {
  using R = MethodResult<T, Member, Args...>;
  if constexpr (std::is_void_v<R>) {
    return when_all(ask_each<T>(callees, method, args...));
  } else {
    std::vector<future<void>> each;
    each.reserve(callees.count);
    for (auto& answer : ask_each<T>(callees, method, args...))
      each.push_back(std::move(answer).then([](const R&) {}));
    return when_all(std::move(each));
  }
}

/// The answers' combination, in their order: op(op(a0, a1), a2) ... There must be a callee. Waits.
template <class T, class RankAt, class Member, class Op, class... Args>
[[nodiscard]] auto reduce_each(const Callees<RankAt>& callees, Member method, Op op,
                               const Args&... args) {
  auto answers = ask_each<T>(callees, method, args...);
  auto sum = answers.front().get();
  for (std::size_t i = 1; i < answers.size(); ++i) sum = op(std::move(sum), answers[i].get());
  return sum;
}

/// A future of that combination.
template <class T, class RankAt, class Member, class Op, class... Args>
[[nodiscard]] auto reduce_each_later(const Callees<RankAt>& callees, Member method, Op op,
                                     const Args&... args) {
  using R = MethodResult<T, Member, Args...>;
  return when_all(ask_each<T>(callees, method, args...)).then([op](std::vector<R> answers) {
    R sum = std::move(answers.front());
    for (std::size_t i = 1; i < answers.size(); ++i)
      sum = op(std::move(sum), std::move(answers[i]));
    return sum;
  });
}

}  // namespace armature::detail

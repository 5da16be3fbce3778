#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "armature/future.hpp"

// Sets of futures and handles: when all are settled, when one is, which are.

namespace armature {

namespace detail {

template <class T>
future<T> as_future(future<T>&& one) {
  return std::move(one);
}
inline future<void> as_future(Handle&& one) { return {std::move(one)}; }

/// The type of the result of a future or handle.
template <class C>
using SettledWith = typename decltype(as_future(std::declval<C>()))::value_type;

template <class C>
concept Completion = std::same_as<C, Handle> || is_future<C>;

template <class... T>
future<std::tuple<Stored<T>...>> when_all_later(future<T>... futures) {
  co_return std::tuple<Stored<T>...>{co_await futures.then([](auto&&... value) {
    if constexpr (sizeof...(value) == 0)
      return std::monostate();
    else
      return (std::move(value), ...);
  })...};
}

/// Keeps the result of a future that has it.
template <class T>
Stored<T> result_of(future<T>& one) {
  if constexpr (std::is_void_v<T>)
    return one.get(), std::monostate();
  else
    return one.get();
}

template <class... T>
future<std::tuple<Stored<T>...>> when_all_of(future<T>... futures) {
  if ((futures.has_value() && ...))
    return future<std::tuple<Stored<T>...>>(std::in_place, result_of(futures)...);
  return when_all_later(std::move(futures)...);
}

template <class T>
future<std::vector<T>> when_all_later(std::vector<future<T>> futures) {
  std::vector<T> values;
  values.reserve(futures.size());
  for (auto& one : futures) values.push_back(co_await one);
  co_return values;
}
inline future<void> when_all_later(std::vector<future<void>> futures) {
  for (auto& one : futures) co_await one;
}

inline std::vector<future<void>> as_futures(std::vector<Handle> handles) {
  std::vector<future<void>> futures;
  futures.reserve(handles.size());
  for (Handle& one : handles) futures.emplace_back(std::move(one));
  return futures;
}

}  // namespace detail

/// Settled when all are, futures and handles in any mixture; results in order, std::monostate for
/// void. The first exception in that order is the result's.
template <detail::Completion... C>
future<std::tuple<detail::Stored<detail::SettledWith<C>>...>> when_all(C... each) {
  return detail::when_all_of(detail::as_future(std::move(each))...);
}
template <class T>
requires(!std::is_void_v<T>) future<std::vector<T>> when_all(std::vector<future<T>> futures) {
  return detail::when_all_later(std::move(futures));
}
inline future<void> when_all(std::vector<future<void>> futures) {
  for (const auto& one : futures)
    if (!one.has_value()) return detail::when_all_later(std::move(futures));
  return ready_future();
}
inline future<void> when_all(std::vector<Handle> handles) {
  for (Handle& one : handles)
    if (!one.is_empty()) return when_all(detail::as_futures(std::move(handles)));
  return ready_future();
}

/// The index of the one that was settled first, and all of them; each may be asked for its result.
template <class Futures>
struct when_any_result {
  std::size_t index;
  Futures futures;
};

namespace detail {

template <class Futures>
struct AnyOf {
  Futures futures;
  std::shared_ptr<FutureState<when_any_result<Futures>>> result =
      std::make_shared<FutureState<when_any_result<Futures>>>();
  bool is_over = false;
};

template <class T>
bool any_is_valid(std::span<future<T>> futures) {
  for (const auto& one : futures)
    if (one.valid()) return true;
  return false;
}

/// Returns the state that settles it; nullptr if the result was fetched already.
template <class T>
std::shared_ptr<FutureBase> state_of(const future<T>& one) {
  if (!one.valid()) return nullptr;
  return one.share();
}

/// `states` are those of `futures`.
template <class Futures, class States>
future<when_any_result<Futures>> when_any_later(Futures futures, const States& states) {
  auto any = std::make_shared<AnyOf<Futures>>();
  any->futures = std::move(futures);
  const auto result = any->result;
  std::size_t index = 0;
  for (const auto& state : states) {
    const std::size_t at = index++;
    if (state == nullptr) continue;
    state->on_settled([any, at] {
      if (!std::exchange(any->is_over, true)) any->result->set({at, std::move(any->futures)});
    });
  }
  return future<when_any_result<Futures>>(result);
}

template <class... T>
future<when_any_result<std::tuple<future<T>...>>> when_any_of(std::tuple<future<T>...> all) {
  using Result = when_any_result<std::tuple<future<T>...>>;
  return std::apply(
      [&](auto&... one) {
        std::size_t index = 0;
        if (!(one.valid() || ...)) nothing_to_wait_for("when_any");
        if (((one.is_there() || (++index, false)) || ...))
          return future<Result>(std::in_place, Result{index, std::move(all)});
        const std::array<std::shared_ptr<FutureBase>, sizeof...(T)> states = {state_of(one)...};
        return when_any_later(std::move(all), states);
      },
      all);
}

}  // namespace detail

/// Settled when one of them is, futures and handles in any mixture, of which handles come back as
/// futures. Settled with its index, the first in order where several are, and with all of them; not
/// with its exception, which its own get() throws. One that was fetched already is passed over;
/// throws Error(bad_argument) where none is left.
template <detail::Completion... C>
requires(sizeof...(C) > 0)
    future<when_any_result<std::tuple<future<detail::SettledWith<C>>...>>> when_any(C... each) {
  return detail::when_any_of(
      std::tuple<future<detail::SettledWith<C>>...>(detail::as_future(std::move(each))...));
}
template <class T>
future<when_any_result<std::vector<future<T>>>> when_any(std::vector<future<T>> futures) {
  using Result = when_any_result<std::vector<future<T>>>;
  if (!detail::any_is_valid(std::span(futures))) detail::nothing_to_wait_for("when_any");
  std::vector<std::shared_ptr<detail::FutureBase>> states;
  for (std::size_t i = 0; i < futures.size(); ++i)
    if (futures[i].is_there()) return future<Result>(std::in_place, Result{i, std::move(futures)});
  for (const auto& one : futures) states.push_back(detail::state_of(one));
  return detail::when_any_later(std::move(futures), states);
}
inline future<when_any_result<std::vector<future<void>>>> when_any(std::vector<Handle> handles) {
  return when_any(detail::as_futures(std::move(handles)));
}

namespace detail {

template <class R>
concept Futures = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    is_future<std::remove_cv_t<std::ranges::range_value_t<R>>>;

/// The first whose result is there, else how many there are.
template <class T>
std::size_t first_there(std::span<future<T>> futures) {
  std::size_t i = 0;
  while (i < futures.size() && !futures[i].is_there()) ++i;
  return i;
}

template <class R>
auto as_span(R& futures) {
  return std::span(std::ranges::data(futures), std::ranges::size(futures));
}

template <class T>
std::size_t wait_for_first(std::span<future<T>> futures, const char* call) {
  // A method that runs meanwhile may fetch the last one.
  const auto is_over = [](void* what) {
    const auto& in = *static_cast<std::span<future<T>>*>(what);
    return first_there(in) < in.size() || !any_is_valid(in);
  };
  wait_until(is_over, &futures, call);
  const std::size_t first = first_there(futures);
  if (first == futures.size()) nothing_to_wait_for(call);
  return first;
}

template <class T>
std::size_t note_there(std::span<future<T>> futures, std::span<std::size_t> there) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < futures.size(); ++i)
    if (futures[i].is_there()) there[count++] = i;
  return count;
}

}  // namespace detail

/// Sets of futures, as of handles (handle.hpp): each keeps its result, also an exception, for
/// get(). One that was fetched already is passed over; wait_any and wait_some throw
/// Error(bad_argument) where none is left.
template <detail::Futures R>
void wait_all(R&& futures) {
  for (const auto& one : futures)
    if (one.valid()) one.wait();
}
template <detail::Futures R>
[[nodiscard]] bool test_all(R&& futures) {
  bool all = true;
  for (const auto& one : futures) all = (!one.valid() || one.test()) && all;
  return all;
}
template <detail::Futures R>
std::size_t wait_any(R&& futures) {
  return detail::wait_for_first(detail::as_span(futures), "wait_any");
}
template <detail::Futures R>
[[nodiscard]] std::size_t test_any(R&& futures) {
  const auto all = detail::as_span(futures);
  std::size_t i = 0;
  while (i < all.size() && !(all[i].valid() && all[i].test())) ++i;
  return i;
}
template <detail::Futures R>
[[nodiscard]] std::size_t test_some(R&& futures, std::span<std::size_t> there) {
  const auto all = detail::as_span(futures);
  if (there.size() < all.size()) detail::no_room_for_indices("test_some");
  if (test_any(futures) == all.size()) return 0;
  return detail::note_there(all, there);
}
template <detail::Futures R>
std::size_t wait_some(R&& futures, std::span<std::size_t> there) {
  const auto all = detail::as_span(futures);
  if (there.size() < all.size()) detail::no_room_for_indices("wait_some");
  (void)detail::wait_for_first(all, "wait_some");
  return detail::note_there(all, there);
}

}  // namespace armature

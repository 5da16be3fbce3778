#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "armature/error.hpp"
#include "armature/future.hpp"
#include "armature/object_array/index.hpp"
#include "armature/object_array/refused.hpp"
#include "armature/rank.hpp"
#include "armature/rmi.hpp"

// Calls of elements that are coroutines: what stays until they have ended, and who hears of it when
// they fail. The element itself stays for all that waits, coroutines or not: held_element.hpp.

namespace armature::detail {

/// Tells a rank that a one-way call failed there, or was its own.
inline void report_failure(Rank to, Errc code, const std::string& text) {
  armature::async(to, ThrowReported(), code, text);
}

/// A call of a coroutine, which may refer to all of it until it has ended.
template <class F, class Index, class... A>
struct CoroutineCall {
  F f;
  Index index;
  std::tuple<A...> args;
};

/// f(index, element, args...), or f(element, args...) where it takes no index. If the result is a
/// future, f, the index and the arguments stay until it is settled.
template <class F, class Index, class Object, class... A>
decltype(auto) call_element(F& f, const Index& index, Object& object, A&&... args) {
  const auto call = [&object](F& it, const Index& where, auto&&... arg) -> decltype(auto) {
    if constexpr (std::is_invocable_v<F&, const Index&, Object&, decltype(arg)...>)
      return it(where, object, std::forward<decltype(arg)>(arg)...);
    else
      return it(object, std::forward<decltype(arg)>(arg)...);
  };
  using Result = std::remove_cvref_t<decltype(call(f, index, std::forward<A>(args)...))>;
  if constexpr (is_future<Result>) {
    using Kept = CoroutineCall<F, Index, std::remove_cvref_t<A>...>;
    const auto kept = std::make_shared<Kept>(Kept{f, index, {std::forward<A>(args)...}});
    Result result = std::apply(
        [&](auto&... arg) { return call(kept->f, kept->index, std::move(arg)...); }, kept->args);
    if (result.valid() && !result.is_settled()) result.share()->on_settled([kept] {});
    return result;
  } else {
    return call(f, index, std::forward<A>(args)...);
  }
}

/// Nobody waits for the coroutine of a one-way call: if it fails, this rank hears of it.
/// `of_whom` begins the message.
template <class T>
void tell_failure(future<T> coroutine, Rank here, const std::string& of_whom) {
  if (!coroutine.valid()) return;
  const auto state = coroutine.share();
  state->on_settled([state, here, of_whom] {
    try {
      state->rethrow();
    } catch (...) {
      tell_exception([&](Errc, const std::string& text) {
        report_failure(here, Errc::remote, of_whom + text);
      });
    }
  });
}

}  // namespace armature::detail

#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include "armature/detail/export.hpp"
#include "armature/detail/future_state.hpp"
#include "armature/handle.hpp"

namespace armature {

template <class T>
class future;

namespace detail {

template <class T>
inline constexpr bool is_future = false;
template <class T>
inline constexpr bool is_future<future<T>> = true;

/// The result type of f, called with a T, or with nothing for void.
template <class F, class T>
struct Continued {
  using type = std::invoke_result_t<F, T>;
};
template <class F>
struct Continued<F, void> {
  using type = std::invoke_result_t<F>;
};
template <class T>
struct Flat {
  using type = T;
};
template <class T>
struct Flat<future<T>> {
  using type = T;
};

template <class T>
class Promise;

/// Throws Error(misuse): the result was fetched already, or there never was one.
[[noreturn]] ARMATURE_API void no_future(const char* call);
/// Throws Error(bad_argument).
[[noreturn]] ARMATURE_API void nothing_to_wait_for(const char* call);
[[noreturn]] ARMATURE_API void no_room_for_indices(const char* call);
/// Blocks, executing incoming requests, until is_there(what).
ARMATURE_API void wait_until(bool (*is_there)(void* what), void* what, const char* call);

/// Runs alone: while it lives, no other continuation and no method of this rank runs. A
/// continuation that is called at once is as alone as one that is called later.
class ARMATURE_API Alone {
 public:
  Alone();
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;
  ~Alone();

 private:
  void* endpoint_;
};

}  // namespace detail

/// A result that will be there later. It is the one type by which everything completes: transfers
/// (a Handle converts to a future<void>), atomics, split-phase remote calls (armi-rmi-2003, 3.3),
/// continuations and coroutines. Belongs to the rank that got it: only that rank may use it. Moves
/// only; dropping one abandons the result of a call, not the call; of a transfer or atomic it
/// waits.
///
/// The result of an operation that is complete when it begins lies in the future itself. Nothing is
/// allocated for it, nor by wait, get, co_await, or then with a function that returns.
///
/// A coroutine that returns a future starts at once, and goes on, on this rank, while the rank
/// waits or polls.
template <class T>
class [[nodiscard]] future {
  using State = std::shared_ptr<detail::FutureState<T>>;
  using Value = detail::Stored<T>;

 public:
  using value_type = T;
  using promise_type = detail::Promise<T>;

  future() = default;
  explicit future(State state) {
    if (state != nullptr) held_.template emplace<state_at>(std::move(state));
  }
  /// Makes a future that is settled already.
  template <class... V>
  explicit future(std::in_place_t, V&&... value)
      : held_(std::in_place_index<value_at>, std::forward<V>(value)...) {}
  /// A future of the operation behind a handle.
  future(Handle&& operation) requires std::is_void_v<T> { hold(std::move(operation)); }  // NOLINT
  explicit future(Handle&& operation) requires(!std::is_void_v<T> &&
                                               detail::is_given_by_operations<T>) {
    hold(std::move(operation));
  }
  future(future&& other) noexcept : held_(std::exchange(other.held_, Held())) {}
  future& operator=(future&& other) noexcept {
    // Dropping the old value may wait, and a method may look at this object meanwhile.
    const Held abandoned = std::exchange(held_, std::exchange(other.held_, Held()));
    return *this;
  }
  ~future() = default;

  [[nodiscard]] bool valid() const { return held_.index() != nothing_at; }
  /// Whether the result is there, known without a look.
  [[nodiscard]] bool is_settled() const {
    return held_.index() == value_at ||
           (held_.index() == state_at && std::get<state_at>(held_)->settled());
  }
  /// Whether it holds its result, and no exception.
  [[nodiscard]] bool has_value() const {
    (void)is_there();
    return held_.index() == value_at;
  }
  /// True once the result is there; never blocks. Executes incoming calls, as rmi_poll does (not
  /// inside a method), so that ranks that test for each other's answers get them.
  [[nodiscard]] bool test() const {
    require("future::test");
    if (held_.index() == state_at) {
      const State state = std::get<state_at>(held_);  // a method may fetch it meanwhile
      return state->test();
    }
    return held_.index() == value_at || finish(detail::test_operation);
  }
  /// Blocks, executing incoming calls, until the result is there, or has been fetched by one.
  void wait() const {
    require("future::wait");
    if (held_.index() == value_at || (held_.index() == operation_at && is_there())) return;
    // Methods that run meanwhile find it under way as well, or fetch it.
    const State state = share();
    state->wait();
  }
  /// Waits, and gives the result or throws what the method threw. Once: Error(misuse) after.
  T get() {
    require("future::get");
    if (held_.index() != value_at) {
      wait();
      require("future::get");
    }
    return take();
  }

  /// Calls f with the result, when it is there, which may be at once; a future of what f returns.
  /// An exception passes by f to that future.
  template <class F>
  auto then(F f) {
    using Given = typename detail::Continued<F, T>::type;
    using Result = typename detail::Flat<Given>::type;
    require("future::then");
    if (held_.index() == operation_at) (void)is_there();
    if (held_.index() == value_at) return call_now<Given, Result>(f);
    auto next = std::make_shared<detail::FutureState<Result>>();
    const State state = share();
    held_ = Held();
    state->on_settled([state, next, f = std::move(f)]() mutable {
      try {
        if constexpr (std::is_void_v<T>) {
          state->take();
          pass_on<Given>(next, f);
        } else {
          pass_on<Given>(next, f, state->take());
        }
      } catch (...) {
        next->fail(std::current_exception());
      }
    });
    return future<Result>(next);
  }

  /// Whether the result is there, after a look that runs nothing.
  [[nodiscard]] bool is_there() const {
    if (held_.index() == state_at) return std::get<state_at>(held_)->is_there();
    return held_.index() == value_at ||
           (held_.index() == operation_at && finish(detail::look_at_operation));
  }
  bool await_ready() const {
    require("co_await");
    return is_there();
  }
  void await_suspend(std::coroutine_handle<> waiting) {
    const State state = share();
    state->on_settled([waiting] { waiting.resume(); });
  }
  T await_resume() { return take(); }

  /// Returns the state that settles it; makes one if there is none yet.
  [[nodiscard]] const State& share() const {
    require("future::share");
    if constexpr (detail::is_given_by_operations<T>)
      if (held_.index() == operation_at)
        held_.template emplace<state_at>(std::make_shared<detail::OperationState<T>>(
            std::exchange(std::get<operation_at>(held_), Handle())));
    if (held_.index() == value_at) {
      auto state = std::make_shared<detail::FutureState<T>>();
      state->set(std::move(std::get<value_at>(held_)));
      held_.template emplace<state_at>(std::move(state));
    }
    return std::get<state_at>(held_);
  }

 private:
  // Nothing any more; a result; an operation under way; what somebody settles.
  using Held = std::variant<std::monostate, Value, Handle, State>;
  static constexpr std::size_t nothing_at = 0, value_at = 1, operation_at = 2, state_at = 3;

  void require(const char* call) const {
    if (held_.index() == nothing_at) [[unlikely]]
      detail::no_future(call);
  }

  void hold(Handle&& operation) {
    if (operation.is_empty())
      held_.template emplace<value_at>();
    else
      held_.template emplace<operation_at>(std::move(operation));
  }

  /// Takes over what an operation gave, where `is_complete` finds it complete. That runs no method:
  /// nobody else looks at the future meanwhile.
  template <class IsComplete>
  bool finish(IsComplete is_complete) const {
    if constexpr (detail::is_given_by_operations<T>) {
      try {
        std::uint64_t value = 0;
        if (!is_complete(std::get<operation_at>(held_), value)) return false;
        held_.template emplace<value_at>(detail::from_word<T>(value));
      } catch (...) {
        // An error of the looking call, not of the operation.
        if (!std::get<operation_at>(held_).is_empty()) throw;
        auto state = std::make_shared<detail::FutureState<T>>();
        state->fail(std::current_exception());
        held_.template emplace<state_at>(std::move(state));
      }
    }
    return true;
  }

  /// The result that is there.
  T take() {
    Held held = std::exchange(held_, Held());
    if (held.index() == state_at) return std::get<state_at>(held)->take();
    if constexpr (!std::is_void_v<T>) return std::move(std::get<value_at>(held));
  }

  /// f has its result already.
  template <class Given, class Result, class F>
  future<Result> call_now(F& f) {
    const detail::Alone alone;
    try {
      const auto call = [&]() -> Given {
        if constexpr (std::is_void_v<T>)
          return take(), f();
        else
          return f(take());
      };
      if constexpr (detail::is_future<Given>) {
        auto inner = call();
        if (!inner.valid()) detail::no_future("then");
        return inner;
      } else if constexpr (std::is_void_v<Given>) {
        call();
        return future<Result>(std::in_place);
      } else {
        return future<Result>(std::in_place, call());
      }
    } catch (...) {
      auto failed = std::make_shared<detail::FutureState<Result>>();
      failed->fail(std::current_exception());
      return future<Result>(std::move(failed));
    }
  }

  template <class Given, class Next, class F, class... A>
  static void pass_on(const std::shared_ptr<Next>& next, F& f, A&&... value) {
    if constexpr (detail::is_future<Given>) {
      auto given = f(std::forward<A>(value)...);
      if (!given.valid()) detail::no_future("then");
      const auto inner = given.share();
      inner->on_settled([inner, next] {
        try {
          if constexpr (std::is_void_v<typename detail::Flat<Given>::type>) {
            inner->take();
            next->set({});
          } else {
            next->set(inner->take());
          }
        } catch (...) {
          next->fail(std::current_exception());
        }
      });
    } else if constexpr (std::is_void_v<Given>) {
      f(std::forward<A>(value)...);
      next->set({});
    } else {
      next->set(f(std::forward<A>(value)...));
    }
  }

  mutable Held held_;  // a look may find an operation complete
};

template <class F>
auto Handle::then(F f) {
  return future<void>(std::move(*this)).then(std::move(f));
}
/// Waits as co_await of a future does.
inline future<void> operator co_await(Handle&& operation) { return {std::move(operation)}; }
inline future<void> operator co_await(Handle& operation) { return {std::move(operation)}; }

namespace detail {

template <class T>
class PromiseBase {
 public:
  future<T> get_return_object() { return future<T>(state_); }
  std::suspend_never initial_suspend() noexcept { return {}; }
  std::suspend_never final_suspend() noexcept { return {}; }
  void unhandled_exception() { state_->fail(std::current_exception()); }

 protected:
  std::shared_ptr<FutureState<T>> state_ = std::make_shared<FutureState<T>>();
};
template <class T>
class Promise : public PromiseBase<T> {
 public:
  void return_value(T value) { this->state_->set(std::move(value)); }
};
template <>
class Promise<void> : public PromiseBase<void> {
 public:
  void return_void() { this->state_->set({}); }
};

}  // namespace detail

/// A future that is settled already.
template <class T>
future<std::decay_t<T>> ready_future(T&& value) {
  return future<std::decay_t<T>>(std::in_place, std::forward<T>(value));
}
inline future<void> ready_future() { return future<void>(std::in_place); }

}  // namespace armature

#include "armature/when.hpp"

#pragma once

#include <concepts>
#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "armature/detail/export.hpp"
#include "armature/detail/reply.hpp"
#include "armature/marshal.hpp"

namespace armature {

template <class T>
class future;

namespace detail {

/// What a future waits for. Belongs to one rank.
class ARMATURE_API FutureBase : public std::enable_shared_from_this<FutureBase> {
 public:
  FutureBase() = default;
  FutureBase(const FutureBase&) = delete;
  FutureBase& operator=(const FutureBase&) = delete;
  virtual ~FutureBase();

  /// Takes the result over when it is there; true once it is. Runs nothing else.
  virtual bool poll() { return settled_; }
  /// Whether only poll() finds out; else somebody on this rank calls settle().
  [[nodiscard]] virtual bool comes_from_outside() const { return false; }
  [[nodiscard]] bool settled() const { return settled_; }
  /// poll(), also where the rank has a service thread, which may settle it.
  [[nodiscard]] bool is_there();
  /// The same, and where it is not there yet executes what has come in (inside a method: sends what
  /// was held back).
  bool test();
  /// Blocks, executing incoming requests. Whom it waits for is for messages.
  void wait();
  [[nodiscard]] virtual Rank awaited() const { return Rank::none(); }

  /// Runs once, on this rank, when the result is there: now, or while the rank waits or polls.
  void on_settled(std::function<void()> continuation);
  void run_continuations();

  void fail(std::exception_ptr error) {
    error_ = std::move(error);
    settle();
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 protected:
  void settle();

 private:
  bool settled_ = false;
  bool watched_ = false;
  std::exception_ptr error_;
  std::vector<std::function<void()>> continuations_;
};

template <class T>
using Stored = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <class T>
class FutureState : public FutureBase {
 public:
  void set(Stored<T> value) {
    value_.emplace(std::move(value));
    settle();
  }
  T take() {
    rethrow();
    if constexpr (!std::is_void_v<T>) return std::move(*value_);
  }

 private:
  std::optional<Stored<T>> value_;
};

struct DropReply {
  void operator()(Reply* reply) const noexcept { drop_reply(reply); }
};

/// A result that comes into a reply slot. `open` says where in it, and throws where there is none.
template <class T, Reader (*open)(Reply*, Rank)>
class ReplyState final : public FutureState<T> {
 public:
  ReplyState(Reply* reply, Rank from) : reply_(reply), from_(from) {}

  bool poll() override {
    if (this->settled()) return true;
    if (!reply_is_there(reply_.get())) return false;
    const auto reply = std::move(reply_);
    try {
      Reader from = open(reply.get(), from_);
      if constexpr (std::is_void_v<T>)
        this->set({});
      else
        this->set(unpack<T>(from));
    } catch (...) {
      this->fail(std::current_exception());
    }
    return true;
  }
  [[nodiscard]] bool comes_from_outside() const override { return true; }
  [[nodiscard]] Rank awaited() const override { return from_; }

 private:
  std::unique_ptr<Reply, DropReply> reply_;
  Rank from_;
};

inline Reader open_answer(Reply* reply, Rank from) {
  check_reply(reply, from);
  return read_reply(reply);
}
/// The answer to one question.
template <class T>
using AnswerState = ReplyState<T, open_answer>;

template <class T>
inline constexpr bool is_future = false;
template <class T>
inline constexpr bool is_future<future<T>> = true;

/// What f gives when it is called with a T, or with nothing for void.
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

}  // namespace detail

/// A result that will be there later: the answer to a split-phase question (armi-rmi-2003, 3.3),
/// what a continuation makes of it, or what a coroutine returns. Belongs to the rank that got it:
/// only that rank may use it. Moves only; dropping one abandons the result, not the call.
///
/// A coroutine that returns a future starts at once, and goes on, on this rank, while the rank
/// waits or polls.
template <class T>
class [[nodiscard]] future {
 public:
  using value_type = T;
  using promise_type = detail::Promise<T>;

  future() = default;
  explicit future(std::shared_ptr<detail::FutureState<T>> state) : state_(std::move(state)) {}
  future(future&&) noexcept = default;
  future& operator=(future&&) noexcept = default;

  [[nodiscard]] bool valid() const { return state_ != nullptr; }
  /// True once the result is there; never blocks. Executes incoming calls, as rmi_poll does (not
  /// inside a method), so that ranks that test for each other's answers get them.
  [[nodiscard]] bool test() const { return checked("future::test").test(); }
  /// Blocks, executing incoming calls, until the result is there.
  void wait() const { checked("future::wait").wait(); }
  /// Waits, and gives the result or throws what the method threw. Once: Error(misuse) after.
  T get() {
    checked("future::get").wait();
    return std::exchange(state_, nullptr)->take();
  }

  /// Calls f with the result, when it is there; a future of what f returns. An exception passes by
  /// f to that future.
  template <class F>
  auto then(F f) {
    using Given = typename detail::Continued<F, T>::type;
    using Result = typename detail::Flat<Given>::type;
    (void)checked("future::then");
    auto next = std::make_shared<detail::FutureState<Result>>();
    auto state = std::exchange(state_, nullptr);
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

  bool await_ready() const { return checked("co_await").is_there(); }
  void await_suspend(std::coroutine_handle<> waiting) {
    state_->on_settled([waiting] { waiting.resume(); });
  }
  T await_resume() { return std::exchange(state_, nullptr)->take(); }

  [[nodiscard]] const std::shared_ptr<detail::FutureState<T>>& state() const { return state_; }

 private:
  [[nodiscard]] detail::FutureState<T>& checked(const char* call) const {
    if (state_ == nullptr) [[unlikely]]
      detail::no_future(call);
    return *state_;
  }

  template <class Given, class Next, class F, class... A>
  static void pass_on(const std::shared_ptr<Next>& next, F& f, A&&... value) {
    if constexpr (detail::is_future<Given>) {
      auto inner = f(std::forward<A>(value)...).state();
      if (inner == nullptr) detail::no_future("then");
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

  std::shared_ptr<detail::FutureState<T>> state_;
};

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
  auto state = std::make_shared<detail::FutureState<std::decay_t<T>>>();
  state->set(std::forward<T>(value));
  return future<std::decay_t<T>>(state);
}
inline future<void> ready_future() {
  auto state = std::make_shared<detail::FutureState<void>>();
  state->set({});
  return future<void>(state);
}

/// Settled when all are; results in order, std::monostate for void. The first exception in that
/// order is the result's.
template <class... T>
future<std::tuple<detail::Stored<T>...>> when_all(future<T>... futures) {
  co_return std::tuple<detail::Stored<T>...>{co_await futures.template then([](auto&&... value) {
    if constexpr (sizeof...(value) == 0)
      return std::monostate();
    else
      return (std::move(value), ...);
  })...};
}
template <class T>
requires(!std::is_void_v<T>) future<std::vector<T>> when_all(std::vector<future<T>> futures) {
  std::vector<T> values;
  values.reserve(futures.size());
  for (auto& one : futures) values.push_back(co_await one);
  co_return values;
}
inline future<void> when_all(std::vector<future<void>> futures) {
  for (auto& one : futures) co_await one;
}

}  // namespace armature

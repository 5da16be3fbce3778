#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "armature/detail/export.hpp"
#include "armature/handle.hpp"
#include "armature/rank.hpp"

// States of futures whose result was not there when they were made. Their compiled half lies where
// remote calls are executed, which happens while a rank waits.

namespace armature {

namespace detail {

/// The state that a future waits for. It belongs to one rank.
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
  /// Whether the result is there. Where it is not, this executes what has come in; inside a method
  /// it sends what was held back.
  bool test();
  /// Blocks, executing incoming requests. Whom it waits for is for messages.
  void wait();
  [[nodiscard]] virtual Rank awaited() const { return Rank::none(); }

  /// Runs once, on this rank, when the result is there: now, or while the rank waits or polls. What
  /// the current holder holds (holder.hpp) stays until then.
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
  struct Continuation {
    std::function<void()> run;
    std::shared_ptr<void> held;  // until it has run
  };
  std::vector<Continuation> continuations_;
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

// Both tell whether an operation is complete, and then what it gave; the first lets the network
// progress before.
ARMATURE_API bool test_operation(Handle& operation, std::uint64_t& value);
ARMATURE_API bool look_at_operation(Handle& operation, std::uint64_t& value);

/// An operation gives a word or nothing: what that is as a T.
template <class T>
inline constexpr bool is_given_by_operations = std::is_void_v<T> || std::integral<T>;
template <class T>
Stored<T> from_word(std::uint64_t word) {
  if constexpr (std::is_void_v<T>)
    return {};
  else
    return static_cast<T>(word);
}

/// An operation that somebody waits for.
template <class T>
requires is_given_by_operations<T>
class OperationState final : public FutureState<T> {
 public:
  explicit OperationState(Handle operation) : operation_(std::move(operation)) {}

  bool poll() override {
    if (this->settled()) return true;
    std::uint64_t value = 0;
    try {
      if (!look_at_operation(operation_, value)) return false;
      this->set(from_word<T>(value));
    } catch (...) {
      this->fail(std::current_exception());
    }
    return true;
  }
  [[nodiscard]] bool comes_from_outside() const override { return true; }

 private:
  Handle operation_;
};

}  // namespace detail

}  // namespace armature

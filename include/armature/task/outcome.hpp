#pragma once

#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "armature/error.hpp"
#include "armature/promise.hpp"

// The result of a task, where it is run.

namespace armature::detail {

struct TaskOutcomeBase {
  TaskOutcomeBase() = default;
  TaskOutcomeBase(const TaskOutcomeBase&) = delete;
  TaskOutcomeBase& operator=(const TaskOutcomeBase&) = delete;
  virtual ~TaskOutcomeBase() = default;
};

template <class R>
class TaskOutcome final : public TaskOutcomeBase {
 public:
  [[nodiscard]] bool is_there() const { return value_.has_value() || failure_ != nullptr; }
  [[nodiscard]] R get() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
    return *value_;
  }
  void set(R value) {
    value_.emplace(std::move(value));
    tell_all();
  }
  void fail(std::exception_ptr failure) {
    failure_ = std::move(failure);
    tell_all();
  }
  /// Answers another member, now or once the result is there.
  void tell(const remote_promise<R>& promise) {
    if (!is_there())
      wanted_.push_back(promise);
    else if (failure_ == nullptr)
      promise.set(*value_);
    else
      tell_failure(promise);
  }

 private:
  void tell_all() {
    for (const auto& promise : std::exchange(wanted_, {})) tell(promise);
  }
  void tell_failure(const remote_promise<R>& promise) const {
    try {
      std::rethrow_exception(failure_);
    } catch (const Error& error) {
      promise.fail(error.code(), error.what());
    } catch (const std::exception& error) {
      promise.fail(Errc::remote, error.what());
    } catch (...) {
      promise.fail(Errc::remote, "a task has thrown something that is no std::exception");
    }
  }

  std::optional<R> value_;
  std::exception_ptr failure_;
  std::vector<remote_promise<R>> wanted_;
};

}  // namespace armature::detail

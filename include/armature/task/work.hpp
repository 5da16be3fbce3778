#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "armature/task/access.hpp"
#include "armature/task/part.hpp"
#include "armature/task/stealing.hpp"

// The function of a task with its items, and the nodes that call it: at the member that has the
// task, and where that lets it, at another one.

namespace armature::detail {

/// The function, and the items that it is called with.
template <class F, class R, class... Accesses>
class TaskWork;
template <class F, class R, class... Spaces, bool... writes>
class TaskWork<F, R, TaskAccess<Spaces, writes>...> {
 public:
  TaskWork(TaskNode& node, TaskPart& part, std::uint64_t number, F f,
           const TaskAccess<Spaces, writes>&... accesses)
      : part_(part),
        number_(number),
        f_(std::move(f)),
        // Braces: bound in this order.
        arguments_{TaskArgument<Spaces, writes>(accesses, node, part)...} {}

  void run() {
    std::apply([this](auto&... argument) { this->call(argument.value()...); }, arguments_);
    give_back();
  }
  [[nodiscard]] TaskPart& part() const { return part_; }
  [[nodiscard]] const F& function() const { return f_; }
  /// Calls use(value...) with the items as they are kept.
  template <class Use>
  void with_kept(Use use) const {
    std::apply([&](const auto&... argument) { use(argument.kept()...); }, arguments_);
  }
  /// Another member has called the function.
  template <class Written, class Result>
  void done_elsewhere(Written written, [[maybe_unused]] std::optional<Result> result) {
    take_back(std::move(written), std::index_sequence_for<Spaces...>());
    if constexpr (!std::is_void_v<R>) part_.outcome<R>(number_)->set(*std::move(result));
    give_back();
  }
  void failed_elsewhere(std::exception_ptr failure) {
    std::apply([](auto&... argument) { (argument.keep_old(), ...); }, arguments_);
    fail(std::move(failure));
    give_back();
  }

 private:
  template <class... Values>
  void call(Values&&... values) {
    if (part_.engine().has_failed()) return skip();
    try {
      if constexpr (std::is_void_v<R>)
        std::invoke(f_, static_cast<Values&&>(values)...);
      else
        part_.outcome<R>(number_)->set(std::invoke(f_, static_cast<Values&&>(values)...));
    } catch (...) {
      fail(std::current_exception());
    }
  }
  void fail(const std::exception_ptr& failure) {
    part_.engine().fail(number_, failure);
    if constexpr (!std::is_void_v<R>) part_.outcome<R>(number_)->fail(failure);
  }
  void skip() {
    if constexpr (!std::is_void_v<R>)
      part_.outcome<R>(number_)->fail(std::make_exception_ptr(
          Error(Errc::remote, "task_graph: task " + std::to_string(number_) +
                                  " was not run, since an earlier one has thrown")));
  }
  template <class Written, std::size_t... i>
  void take_back([[maybe_unused]] Written written, std::index_sequence<i...>) {
    (std::get<i>(arguments_).take_back(std::get<i>(std::move(written))), ...);
  }
  void give_back() {
    std::apply([&](auto&... argument) { (argument.give_back(part_), ...); }, arguments_);
  }

  TaskPart& part_;
  std::uint64_t number_;
  F f_;
  std::tuple<TaskArgument<Spaces, writes>...> arguments_;
};

/// A task that this member runs.
template <class F, class R, class... Accesses>
class Task final : public TaskNode {
 public:
  Task(TaskPart& part, std::uint64_t number, F f, const Accesses&... accesses)
      : TaskNode(Kind::task), work_(*this, part, number, std::move(f), accesses...) {}
  void run() override { work_.run(); }

 private:
  TaskWork<F, R, Accesses...> work_;
};

/// Stands for no value.
struct TaskNothing {};

template <class F, class R, class... Accesses>
class StealableTask;

/// The task at a member that has stolen it, on copies of the items.
template <class F, class R, class... Accesses>
class StolenTask;
template <class F, class R, class... Spaces, bool... writes>
class StolenTask<F, R, TaskAccess<Spaces, writes>...> final : public TaskStolen {
  using Owners = StealableTask<F, R, TaskAccess<Spaces, writes>...>;

 public:
  using Written = std::tuple<std::conditional_t<writes, typename Spaces::Kept, TaskNothing>...>;
  using Result = std::conditional_t<std::is_void_v<R>, TaskNothing, R>;

  StolenTask(TaskPart& part, int owner, std::uint64_t number, F f, typename Spaces::Kept... values)
      : TaskStolen(owner, number), part_(part), f_(std::move(f)), values_(std::move(values)...) {}

  void run() override {
    std::optional<Result> result;
    try {
      result.emplace(call(std::index_sequence_for<Spaces...>()));
    } catch (const Error& error) {
      return tell_failure(error.code(), error.what());
    } catch (const std::exception& error) {
      return tell_failure(Errc::remote, error.what());
    } catch (...) {
      return tell_failure(Errc::remote, "a task has thrown something that is no std::exception");
    }
    part_.tell(
        owner(),
        [](TaskPart& part, std::uint64_t which, Written written, std::optional<Result> back) {
          auto& task = static_cast<Owners&>(part.stealing().take_given(which));
          task.done_elsewhere(std::move(written), std::move(back));
        },
        number(), written(std::index_sequence_for<Spaces...>()), result);
  }

 private:
  template <std::size_t... i>
  Result call(std::index_sequence<i...>) {
    const auto invoke = [this]() -> decltype(auto) {
      return std::invoke(f_, value<Spaces, writes>(std::get<i>(values_))...);
    };
    if constexpr (std::is_void_v<R>) {
      invoke();
      return {};
    } else {
      return invoke();
    }
  }
  template <class Space, bool is_written>
  static auto value(typename Space::Kept& kept) ->
      typename TaskAccess<Space, is_written>::Parameter {
    if constexpr (is_written)
      return Space::write_kept(kept);
    else
      return Space::read_kept(kept);
  }
  template <std::size_t... i>
  Written written(std::index_sequence<i...>) {
    return Written(back<writes>(std::get<i>(values_))...);
  }
  template <bool is_written, class Kept>
  static auto back(Kept& kept) {
    if constexpr (is_written)
      return std::move(kept);
    else
      return TaskNothing();
  }
  void tell_failure(Errc code, const std::string& text) {
    part_.tell(
        owner(),
        [](TaskPart& part, std::uint64_t which, Errc what, std::string why) {
          auto& task = static_cast<Owners&>(part.stealing().take_given(which));
          task.failed_elsewhere(std::make_exception_ptr(Error(what, std::move(why))));
        },
        number(), code, text);
  }

  TaskPart& part_;
  F f_;
  std::tuple<typename Spaces::Kept...> values_;
};

/// A task that this member runs unless an idle one takes it.
template <class F, class R, class... Accesses>
class StealableTask final : public TaskStealable {
  using Stolen = StolenTask<F, R, Accesses...>;

 public:
  StealableTask(TaskPart& part, std::uint64_t number, F f, const Accesses&... accesses)
      : TaskStealable(number), work_(*this, part, number, std::move(f), accesses...) {}
  void run() override { work_.run(); }
  void give_to(int member) override {
    TaskPart& mine = work_.part();
    work_.with_kept([&]<class... Kept>(const Kept&... kept) {
      mine.tell(
          member,
          [](TaskPart& part, int owner, std::uint64_t which, F f, Kept... values) {
            part.stealing().got(
                *new Stolen(part, owner, which, std::move(f), std::move(values)...));
          },
          mine.me(), number(), work_.function(), kept...);
    });
  }
  template <class Written, class Result>
  void done_elsewhere(Written written, Result result) {
    work_.done_elsewhere(std::move(written), std::move(result));
    work_.part().engine().arrived(*this);
  }
  void failed_elsewhere(std::exception_ptr failure) {
    work_.failed_elsewhere(std::move(failure));
    work_.part().engine().arrived(*this);
  }

 private:
  TaskWork<F, R, Accesses...> work_;
};

}  // namespace armature::detail

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "armature/container/one_at_a_time.hpp"
#include "armature/shared.hpp"
#include "armature/task/access.hpp"
#include "armature/task/part.hpp"
#include "armature/task/result.hpp"
#include "armature/team.hpp"

namespace armature {

namespace detail {

/// A task that this member runs.
template <class F, class R, class... Accesses>
class Task;
template <class F, class R, class... Spaces, bool... writes>
class Task<F, R, TaskAccess<Spaces, writes>...> final : public TaskNode {
 public:
  Task(TaskPart& part, std::uint64_t number, F f, const TaskAccess<Spaces, writes>&... accesses)
      : TaskNode(Kind::task),
        part_(part),
        number_(number),
        f_(std::move(f)),
        // Braces: bound in this order.
        arguments_{TaskArgument<Spaces, writes>(accesses, *this, part)...} {}
  void run() override {
    std::apply([this](auto&... argument) { call(argument.value()...); }, arguments_);
    std::apply([&](auto&... argument) { (argument.give_back(part_), ...); }, arguments_);
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
      part_.engine().fail(number_, std::current_exception());
      if constexpr (!std::is_void_v<R>) part_.outcome<R>(number_)->fail(std::current_exception());
    }
  }
  void skip() {
    if constexpr (!std::is_void_v<R>)
      part_.outcome<R>(number_)->fail(std::make_exception_ptr(
          Error(Errc::remote, "task_graph: task " + std::to_string(number_) +
                                  " was not run, since an earlier one has thrown")));
  }

  TaskPart& part_;
  std::uint64_t number_;
  F f_;
  std::tuple<TaskArgument<Spaces, writes>...> arguments_;
};

}  // namespace detail

/// Tasks and what orders them: what they read and write. Every member of the team spawns the same
/// tasks in the same order, as the loop nest of the serial program would run them. Each is run by
/// the owner of the first item that it writes, once those before it that write what it reads, or
/// read or write what it writes, are done. So the data end as the serial program leaves them
/// (sequential consistency of the loop nest). What lies elsewhere is sent to it, one copy to each
/// member that reads it. The description itself sends nothing.
///
/// All calls are collective unless they say otherwise. Not with service threads: Error(misuse).
/// Where a member has died, in a job that goes on after deaths, calls that wait throw
/// Error(rank_lost), and the graph is of no use then; data that end drop their tasks.
class ARMATURE_API task_graph {
 public:
  /// So many of a member's tasks may be described and not done: then spawn runs some.
  static constexpr std::size_t unfinished_max = 1 << 16;

  explicit task_graph(const Team& team);
  task_graph(const task_graph&) = delete;
  task_graph& operator=(const task_graph&) = delete;
  /// Waits as wait() does, unless an exception is under way; what a task threw is lost then.
  ~task_graph();

  [[nodiscard]] const Team& team() const { return part().team(); }

  /// Adds a task: f is called with the items in the order given, `const T&` or std::span<const T>
  /// of those that it reads, `T&` or std::span<T> of those that it writes. f may refer to what
  /// outlives the next wait(); it is called on the member that runs the task, while no other task
  /// of this member runs. It may make remote calls and transfers, and no collective calls of the
  /// graph's team. Returns nothing, or a task_result of what f returns. Without items the tasks go
  /// round the members. Throws Error(bad_argument) where an item that it writes is named twice,
  /// Error(misuse) inside a task of this graph.
  template <class F, class... Spaces, bool... writes>
  auto spawn(F f, detail::TaskAccess<Spaces, writes>... accesses) {
    return spawn_on(home(accesses...), std::move(f), accesses...);
  }
  /// Adds a task that this member runs, wherever the items lie. What it writes is sent back. Throws
  /// Error(bad_rank).
  template <class F, class... Spaces, bool... writes>
  auto spawn_on(int member, F f, detail::TaskAccess<Spaces, writes>... accesses) {
    using R = std::decay_t<
        std::invoke_result_t<F&, typename detail::TaskAccess<Spaces, writes>::Parameter...>>;
    const std::array<Named, sizeof...(accesses)> named{
        Named{accesses.space->number(), writes, accesses.index}...};
    const std::uint64_t number = begin(member, named);
    detail::TaskPart& mine = part();
    if (member == mine.me()) {
      auto* const task = new detail::Task<F, R, detail::TaskAccess<Spaces, writes>...>(
          mine, number, std::move(f), accesses...);
      mine.engine().add(*task);
      mine.engine().described(*task);
    } else {
      (detail::serve(mine, accesses, member), ...);
    }
    limit_unfinished();
    if constexpr (!std::is_void_v<R>) return task_result<R>(mine, member, number);
  }

  /// Returns when all tasks of all members are done. If a task has thrown, all members throw: the
  /// first of those where one has, its exception, the others an Error that names it. Later tasks of
  /// such a member are not run. Throws Error(misuse) on all where members have not spawned the
  /// same; the graph is of no use then.
  void wait();

  [[nodiscard]] detail::TaskPart& part() const { return **part_; }

 private:
  struct Named {
    std::uint32_t space;
    bool is_written;
    std::size_t index;
  };
  /// Counts the task, and checks what it names.
  std::uint64_t begin(int member, std::span<const Named> named);
  void limit_unfinished();
  /// Whether all members have spawned the same: numbers of each, least and greatest.
  struct Counts;
  void require_use(const char* call) const;
  void require_same(const Counts& counts) const;

  /// The member that runs a task: the owner of the first item that it writes, else of the first.
  template <class First, class... Rest>
  [[nodiscard]] int home(const First& first, const Rest&... rest) const {
    if constexpr (!First::is_written && (Rest::is_written || ...))
      return home(rest...);
    else
      return first.owner();
  }
  [[nodiscard]] int home() const {
    return static_cast<int>(spawned_ % static_cast<std::uint64_t>(team().size()));
  }

  std::unique_ptr<shared<detail::TaskPart>> part_;
  std::uint64_t spawned_ = 0;
  std::uint64_t hash_ = 0;  // of all that was spawned
  int exceptions_;
};

}  // namespace armature

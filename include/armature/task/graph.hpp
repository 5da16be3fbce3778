#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "armature/shared.hpp"
#include "armature/task/access.hpp"
#include "armature/task/part.hpp"
#include "armature/task/result.hpp"
#include "armature/task/stealing.hpp"
#include "armature/task/work.hpp"
#include "armature/team.hpp"

namespace armature {

/// Tasks and what orders them: what they read and write. Every member of the team spawns the same
/// tasks in the same order, as the loop nest of the serial program would run them. Each is run by
/// the owner of the first item that it writes, once those before it that write what it reads, or
/// read or write what it writes, are done. So the data end as the serial program leaves them
/// (sequential consistency of the loop nest). What lies elsewhere is sent to it, one copy to each
/// member that reads it. The description itself sends nothing.
///
/// Tasks of spawn_stealable() may be run by another member that has nothing to do: it gets the
/// function and copies of the items, and sends back what the task has written.
///
/// All calls are collective unless they say otherwise. With service threads, too, tasks are run by
/// the rank's own thread. Where a member has died, in a job that goes on after deaths, calls that
/// wait throw Error(rank_lost), and the graph is of no use then; data that end drop their tasks.
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
  /// As spawn; a member that has nothing to do may run the task instead, on copies. f is a function
  /// object that is its bytes, as async() takes: it captures nothing, or trivially copyable values.
  template <class F, class... Spaces, bool... writes>
  requires(std::is_class_v<F>&& RemoteFunction<F>&& CapturesNoReference<F>) auto spawn_stealable(
      F f, detail::TaskAccess<Spaces, writes>... accesses) {
    part().check_function(f, "task_graph::spawn_stealable");
    (void)part().stealing();
    may_be_stolen_ = true;
    return add<detail::StealableTask>(home(accesses...), std::move(f), accesses...);
  }
  /// Adds a task that this member runs, wherever the items lie. What it writes is sent back. Throws
  /// Error(bad_rank).
  template <class F, class... Spaces, bool... writes>
  auto spawn_on(int member, F f, detail::TaskAccess<Spaces, writes>... accesses) {
    return add<detail::Task>(member, std::move(f), accesses...);
  }

  /// Returns when all tasks of all members are done. If a task has thrown, all members throw: the
  /// first of those where one has, its exception, the others an Error that names it. Later tasks of
  /// such a member are not run. Throws Error(misuse) on all where members have not spawned the
  /// same; the graph is of no use then.
  void wait();

  /// Counts of the tasks that this member has given away and taken; not collective.
  [[nodiscard]] task_stealing_counts stealing() const;

  [[nodiscard]] detail::TaskPart& part() const { return **part_; }

 private:
  template <template <class...> class Task, class F, class... Spaces, bool... writes>
  auto add(int member, F f, detail::TaskAccess<Spaces, writes>... accesses) {
    using R = std::decay_t<
        std::invoke_result_t<F&, typename detail::TaskAccess<Spaces, writes>::Parameter...>>;
    const std::array<Named, sizeof...(accesses)> named{
        Named{accesses.space->number(), writes, accesses.index}...};
    const std::uint64_t number = begin(member, named);
    detail::TaskPart& mine = part();
    if (member == mine.me()) {
      auto* const task = new Task<F, R, detail::TaskAccess<Spaces, writes>...>(
          mine, number, std::move(f), accesses...);
      mine.engine().add(*task);
      mine.engine().described(*task);
    } else {
      (detail::serve(mine, accesses, member), ...);
    }
    limit_unfinished();
    if constexpr (!std::is_void_v<R>) return task_result<R>(mine, member, number);
  }

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
  std::uint64_t hash_ = 0;      // of all that was spawned
  bool may_be_stolen_ = false;  // one of them
  int exceptions_;
};

}  // namespace armature

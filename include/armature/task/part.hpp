#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "armature/container/by_rank.hpp"
#include "armature/error.hpp"
#include "armature/promise.hpp"
#include "armature/shared.hpp"
#include "armature/task/engine.hpp"
#include "armature/task/node.hpp"
#include "armature/task/outcome.hpp"
#include "armature/task/stealing.hpp"
#include "armature/team.hpp"

// A member's part of a task graph, to which others send values.

namespace armature::detail {

/// A value of an item, as so many tasks have left it: the same on all members.
struct TaskKey {
  std::uint32_t space = 0;
  std::uint32_t version = 0;
  std::uint64_t item = 0;
  friend bool operator==(const TaskKey&, const TaskKey&) = default;
};
struct TaskKeyHash {
  std::size_t operator()(const TaskKey& key) const {
    const std::uint64_t mixed = (key.item * 0x9E3779B97F4A7C15) ^
                                (std::uint64_t{key.space} << 32 | key.version) * 0xC2B2AE3D27D4EB4F;
    return static_cast<std::size_t>(mixed ^ (mixed >> 29));
  }
};

/// A value that another member sends: done once it is here.
template <class Kept>
struct TaskCopy final : TaskNode {
  TaskCopy() : TaskNode(Kind::transfer) {}
  void run() override {}
  Kept value{};
};

class TaskPart : public ByRank<TaskPart> {
 public:
  explicit TaskPart(const Team& team) : team_(team) {
    for (int m = 0; m < team.size(); ++m) ranks_.push_back(team.world_rank(m));
  }
  TaskPart(const TaskPart&) = delete;
  TaskPart& operator=(const TaskPart&) = delete;

  [[nodiscard]] const Team& team() const { return team_; }
  [[nodiscard]] int me() const { return team_.rank(); }
  [[nodiscard]] TaskEngine& engine() { return engine_; }
  [[nodiscard]] const TaskEngine& engine() const { return engine_; }
  void set_self(shared_ref<TaskPart> self) {
    self_ = self;
    set_id(self.id());
  }
  [[nodiscard]] std::uint32_t add_space() { return spaces_++; }

  /// A one-way call of another member's part: op(part, arguments...), executed by its rank.
  template <class Op, class... Args>
  void tell(int member, const Op& op, const Args&... arguments) {
    if (has_service())
      // Values of items outlive their message in any case.
      self_.async(rank(member), &ByRank<TaskPart>::template statement<Op, Args...>, op,
                  arguments...);
    else
      self_.async(rank(member), &TaskPart::template told<Op, Args...>, op, arguments...);
  }

  // -- stealing
  [[nodiscard]] bool has_stealing() const { return stealing_ != nullptr; }
  [[nodiscard]] TaskStealing& stealing() {
    if (stealing_ == nullptr) {
      stealing_ = std::make_unique<TaskStealing>(*this);
      engine_.ready().use(*stealing_);
    }
    return *stealing_;
  }

  // -- values
  /// A value that comes, or has come already. Asked once for each key.
  template <class Kept>
  TaskRef expect(const TaskKey& key) {
    return meet<Kept>(key);
  }
  template <class Kept, class Value>
  void send(int member, const TaskKey& key, const Value& value) {
    const auto arrive = [](TaskPart& part, TaskKey of, Kept kept) {
      part.arrive<Kept>(of, std::move(kept));
    };
    if constexpr (std::is_same_v<Value, Kept>)
      tell(member, arrive, key, value);
    else
      tell(member, arrive, key, Kept(value));
  }

  // -- results
  template <class R>
  std::shared_ptr<TaskOutcome<R>> outcome(std::uint64_t task) {
    auto& kept = outcomes_[task];
    if (kept == nullptr) kept = std::make_shared<TaskOutcome<R>>();
    return std::static_pointer_cast<TaskOutcome<R>>(kept);
  }
  template <class R>
  future<R> ask(int member, std::uint64_t task) {
    auto made = make_promise<R>(rank(member));
    tell(
        member,
        [](TaskPart& part, std::uint64_t which, remote_promise<R> promise) {
          part.outcome<R>(which)->tell(promise);
        },
        task, made.second);
    return std::move(made.first);
  }

 private:
  [[nodiscard]] Rank rank(int member) const { return ranks_[static_cast<std::size_t>(member)]; }

  template <class Op, class... Args>
  void told(Op op, Args... arguments) {
    op(*this, std::move(arguments)...);
  }
  template <class Kept>
  void arrive(const TaskKey& key, Kept value) {
    const TaskRef copy = meet<Kept>(key);
    static_cast<TaskCopy<Kept>&>(*copy).value = std::move(value);
    engine_.arrived(*copy);
  }
  /// The first of two that ask for a key makes the node; the second takes it out.
  template <class Kept>
  TaskRef meet(const TaskKey& key) {
    const auto [found, is_first] = coming_.try_emplace(key);
    if (!is_first) {
      TaskRef copy = std::move(found->second);
      coming_.erase(found);
      return copy;
    }
    found->second = TaskRef(new TaskCopy<Kept>);
    engine_.add(*found->second);
    return found->second;
  }

  Team team_;
  std::vector<Rank> ranks_;  // of the members
  shared_ref<TaskPart> self_;
  TaskEngine engine_{team_};
  std::unique_ptr<TaskStealing> stealing_;  // once it is used
  std::uint32_t spaces_ = 0;
  std::unordered_map<TaskKey, TaskRef, TaskKeyHash> coming_;
  std::unordered_map<std::uint64_t, std::shared_ptr<TaskOutcomeBase>> outcomes_;
};

}  // namespace armature::detail

#pragma once

#include "armature/team.hpp"

namespace armature {

/// A piece of parallel work as armi-rmi-2003, figure 3 writes it: a class whose execute() is run by
/// every member of the team that execute(team, task) is given. Inside it the team is the one given:
/// containers and algorithms made of team() involve nobody else.
class parallel_task {
 public:
  parallel_task() = default;
  parallel_task(const parallel_task&) = default;
  parallel_task& operator=(const parallel_task&) = default;
  virtual ~parallel_task() = default;

  virtual void execute() = 0;

 protected:
  [[nodiscard]] const Team& team() const { return team_; }
  /// The number of members, and the caller's own number, as the paper spells them.
  [[nodiscard]] int get_num_threads() const { return team_.size(); }
  [[nodiscard]] int get_thread_id() const { return team_.rank(); }

 private:
  friend void execute(const Team& team, parallel_task& task);
  Team team_;
};

/// Collective: every member runs its own task's execute(). Returns when all have, and all calls
/// that they made are executed. An exception leaves it on the member where it was thrown.
ARMATURE_API void execute(const Team& team, parallel_task& task);
inline void execute(const Team& team, parallel_task&& task) { execute(team, task); }

}  // namespace armature

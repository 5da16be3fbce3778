#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.hpp"
#include "command/run/cores.hpp"

namespace armature::command {

/// The cores that a job is bound to. Others that start meanwhile are to know them: two jobs on the
/// same cores are half as fast, beside cores with nothing to do. A mark is the name of a socket
/// that nobody listens to: no file, seen by jobs of all users, and gone with the launcher, however
/// it ends. Where there are no such names, all cores are free.
class TakenCores {
 public:
  /// `name`: what marks are called, behind which stands a hardware thread's number.
  explicit TakenCores(std::string name = "armature-core-") : name_(std::move(name)) {}

  /// Orders the cores: first those that no other job has taken, of which so many are this job's
  /// until this ends, each kind in the order given.
  [[nodiscard]] std::vector<Core> take(const std::vector<Core>& cores, std::size_t wanted);

 private:
  [[nodiscard]] bool take(const Core& core);

  std::string name_;
  std::vector<base::FileDescriptor> marks_;
};

}  // namespace armature::command

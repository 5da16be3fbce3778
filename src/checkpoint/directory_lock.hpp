#pragma once

#include <cstdint>
#include <string>

#include "base/runtime.hpp"

namespace armature::checkpoints {

/// How long to wait for a directory that another process has: a job that was killed a moment ago,
/// and is restarted, takes a while to be gone. Owned by the runtime; tests set it.
struct LockPatience {
  std::uint64_t ns = 5'000'000'000;
};

/// Locks a directory: no process of another job locks it until this one ends or gives it up, where
/// files can be locked. Processes of the same job are those that know its number; 0: none are.
/// Throws Error(corrupt) that says who has it.
void lock_directory(const std::string& directory, std::uint64_t job);
/// Locks a directory that another process of the job had: at once, if nobody has it now.
void lock_directory_again(const std::string& directory, std::uint64_t job) noexcept;
/// Unlocks all that this process has, when another one of the job is the next to write.
void unlock_directories() noexcept;

}  // namespace armature::checkpoints

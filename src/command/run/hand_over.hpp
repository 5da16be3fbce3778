#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "command/run/launch.hpp"

// `armature run --hosts`: our launcher starts processes on this machine only; on others, one does
// that can, and the ranks find their job through it (find_exchange.hpp).

namespace armature::command {

/// A launcher that starts processes on several machines.
enum class ForeignLauncher { srun, open_mpi, hydra, prterun };

/// How many processes such a job has: virtual ranks one for each processor, as if other machines
/// were like this one, unless options say so.
std::uint32_t processes_of(const LaunchOptions& options);

/// The command with which it starts this job: as many processes on each host, our options as
/// variables. `settings` are the names of variables that it must hand on. Options have been checked
/// (check_options.hpp).
std::vector<std::string> command_for(ForeignLauncher launcher, const std::string& path,
                                     const LaunchOptions& options,
                                     const std::vector<std::string>& settings);

struct OtherCommand {
  ForeignLauncher launcher;
  std::vector<std::string> words;
};
/// The command of the launcher that is found first: srun within an allocation of Slurm, mpirun,
/// mpiexec, prterun. Sets the variables that it hands on. Throws Error(start) when there is none.
OtherCommand command_of_other(const LaunchOptions& options);

/// Becomes that. Throws Error(start) when it cannot be.
[[noreturn]] void become(const OtherCommand& command);

}  // namespace armature::command

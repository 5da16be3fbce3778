#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

namespace armature::command {

/// The arguments of `armature resize` and `armature join`.
struct ChangeOptions {
  std::string job;              // a process of it
  std::uint32_t processes = 0;  // 0: not said
  double timeout_s = 30;
};

/// Adds JOB, --processes and --timeout to a command. `job` and `processes` are what its help says
/// of the first two. Returns the option --processes.
CLI::Option* add_change_options(CLI::App& command, const std::shared_ptr<ChangeOptions>& options,
                                const std::string& job, const std::string& processes);

}  // namespace armature::command

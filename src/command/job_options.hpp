#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "command/run/launch.hpp"
#include "space/layout.hpp"

// The options of commands that start a job, `armature run` and `armature restart`: how one is added
// that sets something of the job, and those that both have.

namespace armature::command {

using JobOptions = std::shared_ptr<LaunchOptions>;

using Set = void (*)(LaunchOptions& options, const std::string& text);
void add_value(CLI::App& command, const JobOptions& options, const char* names,
               const char* placeholder, const char* help, Set set);

struct NewName {
  const char* name;
  Set set;
};
/// Adds the old name of an option: it does the same, with a note on stderr, and --help is silent.
void add_old_name(CLI::App& command, const JobOptions& options, const char* old, NewName now);

struct Range {
  std::uint64_t least = 1, most = space::ranks_max;
};
/// A number within that. Messages call the option by the last of its names.
void add_count(CLI::App& command, const JobOptions& options, const std::string& names,
               const char* placeholder, const char* help, std::uint32_t LaunchOptions::*member,
               Range range = {});

void add_seconds(CLI::App& command, const JobOptions& options, const char* name,
                 double LaunchOptions::*seconds, const char* help);

/// Adds the option for what becomes of the job when a rank dies. Where it cannot go on without
/// that: end or recover.
void add_on_death(CLI::App& command, const JobOptions& options, bool may_continue);

/// Adds the options that both commands have.
void add_shared_options(CLI::App& command, const JobOptions& options);

}  // namespace armature::command

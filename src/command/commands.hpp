#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "command/run/launch.hpp"

// The commands of `armature`, one file each. `add_x` adds the command x with its options and help.
// Its callback does the work, and throws CLI::RuntimeError(status) when the program is to exit with
// another status than 0. A new command is declared here and entered in the table in main.cpp.

namespace armature::command {

void add_run(CLI::App& app);
void add_outlive(CLI::App& app);
void add_inspect(CLI::App& app);
void add_doctor(CLI::App& app);
void add_bench(CLI::App& app);
void add_restart(CLI::App& app);
void add_checkpoint(CLI::App& app);
void add_resize(CLI::App& app);
void add_join(CLI::App& app);
void add_balance(CLI::App& app);
void add_predict(CLI::App& app);
void add_gdb(CLI::App& app);
void add_help(CLI::App& app);
void add_completion(CLI::App& app);

/// Adds the options of `armature run` and `armature restart` that say where virtual ranks are to
/// be.
void add_rebalancing(CLI::App& app, LaunchOptions& options);

/// The program and its arguments, out of the words behind `armature run`: what follows the options.
/// They must not be taken for options of ours, so they are removed before the others are parsed.
void split_off_program(const CLI::App& run, std::vector<std::string>& words);
/// Splits off the program of `armature outlive`, which has no options.
void split_off_outliving(std::vector<std::string>& words);
/// Splits off the program of `armature predict`.
void split_off_predicted(std::vector<std::string>& words);
/// Splits off what `armature gdb` hands to gdb: the words behind `--`.
void split_off_gdb(std::vector<std::string>& words);

}  // namespace armature::command

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/fail.hpp"
#include "checkpoint/load.hpp"
#include "command/commands.hpp"
#include "command/job_options.hpp"
#include "command/run/console.hpp"
#include "command/run/program.hpp"
#include "command/start.hpp"
#include "team/learned.hpp"

// `armature restart` and `armature checkpoint`: jobs of virtual ranks that were written to disk.

namespace armature::command {
namespace {

constexpr const char* restart_footer = R"(
Starts the program of the last checkpoint in DIRECTORY once more, with its arguments and in the folder where it was
started, lets main run up to armature::run, and all ranks go on where they stood. The program and libarmature
must be the same builds. Checkpoints go on to be written to DIRECTORY, as often as before: options of the run that
say when that is done (--checkpoint-every, --checkpoint-incremental, --copy-every), what becomes of the job after deaths
(--on-death recover) and where ranks go (--balance, --rebalance-every, --rebalance-by) hold until others are said.
Ranks go on with the --collectives that they were started with, and with or without --reproducible as before.

Examples:
  armature restart saved                     on as many processes as there are usable cores
  armature restart saved --processes 3 --checkpoint-every 60
  armature restart saved --hosts a,b --processes 4    of a job that ran on several machines)";

constexpr const char* checkpoint_footer = R"(
Examples:
  armature checkpoint show saved             what the last checkpoint in there is of
  armature checkpoint verify saved           reads all of it and compares it with its checksums)";

struct Restart {
  std::string directory;
  JobOptions options = std::make_shared<LaunchOptions>();
};

/// Keeps the options of the job, as far as nobody has said anything else. Copies are for jobs that
/// recover.
void keep_options(CLI::App& command, const LaunchOptions& options,
                  const checkpoints::Manifest& manifest) {
  for (const auto& [name, value] : manifest.options) {
    CLI::Option* const option = command.get_option_no_throw("--" + name);
    if (option == nullptr || option->count() > 0) continue;
    if (name == "copy-every" && options.on_death != space::OnDeath::recover) continue;
    option->add_result(value);
    option->run_callback();
  }
}

/// Keeps the way of the job's reductions: ranks may stand in the middle of one, which the others
/// have begun in that way.
void keep_collectives(const CLI::App& command, const checkpoints::Manifest& manifest) {
  const std::string usual = team::name_of(team::Way::usual);
  std::string kept = usual;
  for (const auto& [name, value] : manifest.options)
    if (name == "collectives") kept = value;
  const auto& wanted = command.get_option("--collectives")->results();
  if (!wanted.empty() && wanted.back() != kept)
    throw CLI::ValidationError(
        "--collectives", fmt::format("'{}' is not what the ranks were started with: they may stand "
                                     "in a reduction that has begun, and go on with '{}'",
                                     wanted.back(), kept));
  // Nothing stands for the usual way, as at the start.
  if (kept == usual)
    unsetenv(team::collectives_variable);
  else
    setenv(team::collectives_variable, kept.c_str(), 1);
}

/// Refuses another order of the job's reductions, as the ways above: behind keep_options().
void require_order_kept(const LaunchOptions& options, const checkpoints::Manifest& manifest) {
  const bool was_so = std::ranges::any_of(
      manifest.options, [](const auto& option) { return option.name == "reproducible"; });
  if (options.reproducible == was_so) return;
  throw CLI::ValidationError(
      "--reproducible",
      fmt::format("the ranks were started {} it: they may stand in a reduction that has begun, and "
                  "go on as they were started",
                  was_so ? "with" : "without"));
}

int run(Restart& restart, CLI::App& command) {
  char* const absolute = realpath(restart.directory.c_str(), nullptr);
  if (absolute == nullptr)
    base::fail(Errc::start, fmt::format("{}: {}", restart.directory, base::system_text(errno)));
  restart.directory = absolute;
  std::free(absolute);
  if (restart.directory.size() > space::KeptFolder::directory_max)
    base::fail(
        Errc::start,
        fmt::format("{}: the name of a directory of checkpoints may have {} bytes from the "
                    "root on, this one has {}; move it to where it is shorter",
                    restart.directory, space::KeptFolder::directory_max, restart.directory.size()));
  const checkpoints::Found found = checkpoints::find_latest(restart.directory);
  if (chdir(found.manifest.folder.c_str()) != 0)
    base::fail(Errc::start,
               fmt::format("the folder {} where the job was started cannot be entered: {}",
                           found.manifest.folder, base::system_text(errno)));
  LaunchOptions& options = *restart.options;
  keep_options(command, options, found.manifest);
  keep_collectives(command, found.manifest);
  require_order_kept(options, found.manifest);
  checkpoints::require_for_nodes(found, static_cast<int>(options.nodes));
  const std::string& word = found.manifest.command.front();
  // The program need not be here if there are hosts.
  if (options.hosts.empty() && word.find('/') != std::string::npos && word.front() != '/') {
    const Program program = find_program(word);
    if (!program) {
      say_headline(fmt::format("{} in {}, where the job was started", program.problem,
                               found.manifest.folder));
      return program.status;
    }
  }
  options.checkpoint_directory = restart.directory;
  go_on_from(options, found);
  setenv("ARMATURE_CHECKPOINT", restart.directory.c_str(), 1);
  return start(options);
}

/// Describes one of those that the last checkpoint is made of.
std::string line_of(const checkpoints::Link& link) {
  const checkpoints::Manifest& manifest = link.manifest;
  return fmt::format("    {}  {:12}  {} in {} on disk, {} UTC\n",
                     std::filesystem::path(link.folder).filename().string(),
                     manifest.before.name.empty() ? "whole" : "what changed",
                     base::readable_bytes(manifest.memory_bytes()),
                     base::readable_bytes(manifest.file_bytes()), manifest.written_at);
}

std::string left_out_line(const checkpoints::Manifest& manifest) {
  const auto [ranges, bytes] = manifest.left_out;
  if (ranges == 0) return {};
  return fmt::format("  left out       {} in {} ranges, which are zeros after a restart\n",
                     base::readable_bytes(bytes), ranges);
}

void show(const std::string& directory) {
  const checkpoints::Found found = checkpoints::find_latest(directory);
  const checkpoints::Manifest& manifest = found.manifest;
  std::string command;
  for (const std::string& word : manifest.command) command += " " + word;
  std::string options;
  for (const auto& [name, value] : manifest.options)
    options += fmt::format(" --{}={}", name, value);
  std::uint64_t memory = manifest.memory_bytes(), disk = manifest.file_bytes();
  std::string chain;
  for (const checkpoints::Link& link : found.before) {
    memory += link.manifest.memory_bytes();
    disk += link.manifest.file_bytes();
    chain += line_of(link);
  }
  if (!chain.empty()) chain = "  made of\n" + chain + line_of(found);
  fmt::print(
      "{}: checkpoint {} of{}\n"
      "  written        {} UTC\n"
      "  ranks          {}, of which {} had ended, in {} processes{}\n"
      "  memory         {} in {} on disk\n"
      "{}"
      "  started in     {}\n"
      "  options       {}\n"
      "  restarted      {} times before\n"
      "  program        build {}\n"
      "  libarmature    build {}\n"
      "{}",
      found.folder, manifest.number, command, manifest.written_at, manifest.ranks, manifest.through,
      manifest.processes,
      manifest.nodes > 1 ? fmt::format(" on {} nodes", manifest.nodes) : std::string(),
      base::readable_bytes(memory), base::readable_bytes(disk), left_out_line(manifest),
      manifest.folder, options.empty() ? " none that are kept" : options, manifest.restarts,
      manifest.builds.program, manifest.builds.library, chain);
}

void verify(const std::string& directory) {
  const checkpoints::Found found = checkpoints::find_latest(directory);
  checkpoints::verify(found);
  fmt::print("{}: whole\n", found.folder);
}

}  // namespace

void add_restart(CLI::App& app) {
  auto* command = app.add_subcommand("restart", "Go on with a job that was written to disk");
  command->footer(restart_footer);
  auto restart = std::make_shared<Restart>();
  command->add_option("DIRECTORY", restart->directory, "Where its checkpoints are")
      ->required()
      ->type_name("");
  add_shared_options(*command, restart->options);
  add_on_death(*command, restart->options, false);
  command->callback([restart, command] {
    if (const int status = run(*restart, *command); status != 0) throw CLI::RuntimeError(status);
  });
}

void add_checkpoint(CLI::App& app) {
  auto* command = app.add_subcommand("checkpoint", "Look at a job that was written to disk");
  command->footer(checkpoint_footer);
  command->require_subcommand(1);
  const auto add = [&](const char* name, const char* help, void (*act)(const std::string&)) {
    auto* action = command->add_subcommand(name, help);
    auto directory = std::make_shared<std::string>();
    action->add_option("DIRECTORY", *directory, "Where its checkpoints are")
        ->required()
        ->type_name("");
    action->callback([directory, act] { act(*directory); });
  };
  add("show", "What the last checkpoint is of", show);
  add("verify", "Read all of it and compare it with its checksums", verify);
}

}  // namespace armature::command

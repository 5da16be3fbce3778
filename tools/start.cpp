// The memory of a process outlives it, and copies of a node's are on the next one: ranks go back in
// the processes that are left (bootstrap/launcher/recovery.cpp, virtual/nodes/go_back.cpp). Where
// that is not possible a job of several nodes goes back to its last checkpoint on disk, all its
// processes being started anew. This command stays, and with it the number by which the job is
// known.
#include "start.hpp"

#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "bootstrap/environment.hpp"
#include "bootstrap/launcher/console.hpp"
#include "bootstrap/launcher/hand_over.hpp"
#include "bootstrap/launcher/other_launcher.hpp"
#include "virtual/checkpoint/load.hpp"

namespace armature::tools {
namespace {

using bootstrap::LaunchOptions;
using bootstrap::Outcome;
using bootstrap::say;

// A job that dies so often without a further checkpoint would do so for ever.
constexpr int starts_max = 5;

bool is_of_several_nodes(const LaunchOptions& options) {
  return options.nodes > 1 || !options.hosts.empty();
}

void check(const LaunchOptions& options) {
  const auto refuse = [](const char* why) { base::fail(Errc::start, why); };
  if (!options.virtual_ranks) refuse("--on-death recover is for virtual ranks: say --virtual, too");
  if (options.copy_every_s > 0)
    refuse(
        "--copy-every is for one node: on several, the program says when a checkpoint in memory "
        "can be (armature::checkpoint_in_memory)");
}

Outcome run_once(const LaunchOptions& options) {
  return options.hosts.empty() ? bootstrap::launch(options) : bootstrap::await_other(options);
}

/// Those that cannot be reached any more are left out. False when there is none.
bool keep_those_that_answer(LaunchOptions& options) {
  const auto before = static_cast<std::uint32_t>(options.hosts.size());
  std::erase_if(options.hosts, [](const std::string& host) {
    const bool answers = bootstrap::answers(host);
    if (!answers) say(fmt::format("{} does not answer: the job goes on without it", host));
    return !answers;
  });
  const auto left = static_cast<std::uint32_t>(options.hosts.size());
  options.processes = (options.processes * left + before - 1) / before;
  return left > 0;
}

int recovering(LaunchOptions options) {
  check(options);
  if (options.checkpoint_directory.empty()) return run_once(options).status;
  // What is there already is of another job, unless this one has gone on from it.
  std::string from = checkpoints::latest_name(options.checkpoint_directory);
  const std::string of_another = options.restore ? "" : from;
  options.timeout_from_ns = base::now_ns();  // it is for all starts together
  for (int starts = 1;; ++starts) {
    const Outcome outcome = run_once(options);
    if (!outcome.was_killed) return outcome.status;
    const std::string name = checkpoints::latest_name(options.checkpoint_directory);
    if (name == of_another) {
      say("the job cannot go on: there is no checkpoint yet");
      return outcome.status;
    }
    if (name != from) starts = 1;
    from = name;
    if (starts == starts_max) {
      say(fmt::format("the job does not go on: it ended {} times since its last checkpoint",
                      starts));
      return outcome.status;
    }
    if (!options.hosts.empty() && !keep_those_that_answer(options)) return outcome.status;
    const checkpoints::Found found = checkpoints::find_latest(options.checkpoint_directory);
    say(fmt::format("all ranks go back to checkpoint {} in {}, written {} UTC",
                    found.manifest.number, options.checkpoint_directory,
                    found.manifest.written_at));
    go_on_from(options, found);
  }
}

}  // namespace

void go_on_from(LaunchOptions& options, const checkpoints::Found& found) {
  const checkpoints::Manifest& manifest = found.manifest;
  options.virtual_ranks = true;
  options.ranks = manifest.ranks;
  options.stack_bytes = manifest.stack_bytes;
  options.band_base = manifest.band_base;
  options.band_bytes = manifest.band_bytes;
  options.check_full = manifest.check_full;
  options.command = manifest.command;
  options.restore = LaunchOptions::Restore{
      .secrets = manifest.secrets,
      .slots_have_pages = manifest.slot_bytes == space::Control::slot_page,
      .prepare = [found](const space::Control& control) { checkpoints::prepare(found, control); },
      .fill = [found](const auto&... how) { checkpoints::fill(found, how...); }};
  // That one on all hosts, whatever they see of the directory by then.
  if (!options.hosts.empty()) setenv(bootstrap::restart_variable, found.folder.c_str(), 1);
}

int start(LaunchOptions options) {
  if (options.on_death == space::OnDeath::recover && is_of_several_nodes(options))
    return recovering(std::move(options));
  if (!options.hosts.empty()) bootstrap::become(bootstrap::command_of_other(options));
  return bootstrap::launch(options).status;
}

}  // namespace armature::tools

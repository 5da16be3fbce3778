// The memory of a process outlives it on one node: other processes take its ranks, and those to
// come find theirs there (command/run/{recovery,resizing}.cpp). On several nodes copies of a node's
// memory are on the next one (elastic/roll_back.cpp). Where these do not help, or the job is to
// have more processes or fewer there, it goes on from disk, all its processes being started anew.
// This command stays, and with it the number by which the job is known.
#include "command/start.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "bootstrap/environment.hpp"
#include "checkpoint/load.hpp"
#include "command/next_start.hpp"
#include "command/run/check_options.hpp"
#include "command/run/console.hpp"
#include "command/run/hand_over.hpp"
#include "command/run/host_file.hpp"
#include "command/run/other_launcher.hpp"
#include "command/run/signals.hpp"

namespace armature::command {
namespace {

using checkpoints::Found;

// A job that dies so often without a further checkpoint would do so for ever.
constexpr int ends_max = 5;

bool is_of_several_nodes(const LaunchOptions& options) {
  return options.nodes > 1 || !options.hosts.empty();
}

/// Leaves out hosts that cannot be reached any more. False when there is none.
bool keep_those_that_answer(LaunchOptions& options) {
  const auto before = static_cast<std::uint32_t>(options.hosts.size());
  std::erase_if(options.hosts, [](const std::string& host) {
    const bool answers = command::answers(host);
    if (!answers) say(fmt::format("{} does not answer: the job goes on without it", host));
    return !answers;
  });
  const auto left = static_cast<std::uint32_t>(options.hosts.size());
  options.processes = (options.processes * left + before - 1) / before;
  return left > 0;
}

/// The folder is made when it is needed, and gone when this is.
class PrivateFolder {
 public:
  PrivateFolder() = default;
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder() {
    if (!path_.empty()) clear(path_);
  }

  /// A name that nobody has.
  [[nodiscard]] const std::string& choose_path() {
    const char* const wanted = std::getenv("TMPDIR");
    if (wanted != nullptr && *wanted == '\0') unsetenv("TMPDIR");  // nobody has set it
    std::error_code problem;
    const auto above = std::filesystem::temp_directory_path(problem);
    if (problem) {
      base::fail(Errc::start, wanted != nullptr ? fmt::format("TMPDIR={} is no folder", wanted)
                                                : "there is no folder for temporary files");
    }
    path_ = fmt::format("{}/armature-resize-{}-{:x}", above.string(), getpid(), base::now_ns());
    return path_;
  }
  static void clear(const std::string& path) {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

 private:
  std::string path_;
};

/// A job of several nodes, started as often as it takes.
class Course {
 public:
  explicit Course(LaunchOptions options)
      : options_(std::move(options)),
        recovers_(options_.on_death == space::OnDeath::recover),
        is_private_(options_.checkpoint_directory.empty()),
        // A checkpoint that is there already is of another job, unless this one has gone on from
        // it.
        from_(is_private_ ? "" : checkpoints::latest_name(options_.checkpoint_directory)),
        of_another_(options_.restore ? "" : from_) {
    if (options_.hosts.empty()) options_.signals = std::make_shared<const Signals>();
    if (!options_.virtual_ranks) return;
    options_.resize_directory = is_private_ ? folder_.choose_path() : options_.checkpoint_directory;
    setenv(bootstrap::resize_variable, options_.resize_directory.c_str(), 1);
  }

  int run() {
    options_.timeout_from_ns = base::now_ns();  // it is for all starts together
    for (;;) {
      const Outcome outcome = options_.hosts.empty() ? launch(options_) : run_other();
      options_.resize_wanted = outcome.resize_wanted;
      options_.started = outcome.started;
      options_.stopped_ns = outcome.stopped_ns;
      if (outcome.goes_on)
        go_on(outcome);
      else if (!outcome.was_killed || !recovers_ || is_private_ || !roll_back())
        return outcome.status;
    }
  }

 private:
  Outcome run_other() {
    const Outcome outcome = await_other(options_);
    if (outcome.was_ended || (outcome.status != 0 && !outcome.was_killed)) return outcome;
    const std::string name = checkpoints::latest_name(options_.resize_directory);
    return name == from_ ? outcome : next_start(options_, name).value_or(outcome);
  }

  /// Goes on in more processes, or fewer.
  void go_on(const Outcome& outcome) {
    const Found found = checkpoints::find_latest(options_.resize_directory);
    options_.processes = outcome.processes;
    options_.nodes = outcome.nodes;
    options_.hosts = outcome.hosts;
    if (options_.host_file) options_.host_file->go_on(outcome.kept_nodes, outcome.nodes);
    if (!is_private_) from_ = checkpoints::latest_name(options_.checkpoint_directory);
    ends_ = 0;
    go_on_from(options_, found);
    if (is_private_) options_.restore->fill = filling_once(std::move(options_.restore->fill));
    const std::size_t nodes = std::max<std::size_t>(outcome.nodes, outcome.hosts.size());
    say(fmt::format("the job goes on in {} processes{}", outcome.processes,
                    nodes > 1 ? fmt::format(" on {} nodes", nodes) : ""));
  }

  /// Clears the folder behind the filling: it is read once.
  std::function<LaunchOptions::Restore::Fill> filling_once(
      std::function<LaunchOptions::Restore::Fill> fill) {
    return [fill = std::move(fill), path = options_.resize_directory](const auto&... how) {
      fill(how...);
      PrivateFolder::clear(path);
    };
  }

  /// All ranks as in the last checkpoint. False when there is none, or it does not help.
  bool roll_back() {
    const std::string& directory = options_.checkpoint_directory;
    const std::string name = checkpoints::latest_name(directory);
    if (name == of_another_) {
      say("the job cannot go on: there is no checkpoint yet");
      return false;
    }
    ends_ = name == from_ ? ends_ + 1 : 1;
    from_ = name;
    if (ends_ == ends_max) {
      say(fmt::format("the job does not go on: it ended {} times since its last checkpoint",
                      ends_max));
      return false;
    }
    if (!options_.hosts.empty() && !keep_those_that_answer(options_)) return false;
    const Found found = checkpoints::find_latest(directory);
    say(fmt::format("all ranks go back to checkpoint {} in {}, written {} UTC",
                    found.manifest.number, directory, found.manifest.written_at));
    go_on_from(options_, found);
    return true;
  }

  LaunchOptions options_;  // with the signals, which wait until the folder has gone
  PrivateFolder folder_;
  const bool recovers_;
  const bool is_private_;  // ranks are written to disk for nothing but this
  std::string from_;
  const std::string of_another_;
  int ends_ = 0;  // since the last checkpoint
};

}  // namespace

namespace {

/// Takes the lines of the host file as the nodes.
void take_host_file(LaunchOptions& options) {
  if (options.hostfile.empty()) return;
  options.host_file = std::make_shared<HostFile>(options.hostfile);
  const auto lines = static_cast<std::uint32_t>(options.host_file->nodes().size());
  if (options.nodes > 1 && options.nodes != lines)
    base::fail(Errc::start, fmt::format("--nodes {}: the file of --hostfile has {} lines",
                                        options.nodes, lines));
  options.nodes = std::max(lines, 1U);
}

}  // namespace

void go_on_from(LaunchOptions& options, const checkpoints::Found& found) {
  const checkpoints::Manifest& manifest = found.manifest;
  options.virtual_ranks = true;
  options.ranks = manifest.ranks;
  options.stack_bytes = manifest.layout.stack_bytes;
  options.segment_base = manifest.layout.segment_base;
  options.segment_bytes = manifest.layout.segment_bytes;
  options.check_full = manifest.check_full;
  options.command = manifest.command;
  options.restore = LaunchOptions::Restore{
      .secrets = manifest.secrets,
      .slots_have_pages = manifest.layout.slot_bytes == space::Control::slot_page,
      .first_ranks =
          [found](std::uint32_t processes) { return checkpoints::first_ranks(found, processes); },
      .prepare = [found](const space::Control& control) { checkpoints::prepare(found, control); },
      .fill = [found](const auto&... how) { checkpoints::fill(found, how...); }};
  // All hosts go on from that one, whatever they see of the directory by then.
  if (!options.hosts.empty()) setenv(bootstrap::restart_variable, found.folder.c_str(), 1);
}

int start(LaunchOptions options) {
  take_host_file(options);
  check_options(options);
  unsetenv(bootstrap::resize_variable);
  if (!is_of_several_nodes(options)) return launch(options).status;
  const bool may_be_started_anew = options.virtual_ranks && !options.checkpoint_directory.empty();
  if (!options.hosts.empty() && !may_be_started_anew) {
    if (!options.trace.empty()) return await_other(options).status;
    become(command_of_other(options));
  }
  return Course(std::move(options)).run();
}

}  // namespace armature::command

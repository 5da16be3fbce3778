#include "checkpoint/describe.hpp"

#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/runtime.hpp"
#include "base/words_of_process.hpp"
#include "bootstrap/environment.hpp"
#include "image/copies.hpp"
#include "migration/addresses.hpp"
#include "migration/builds.hpp"
#include "team/learned.hpp"

namespace armature::checkpoints {
namespace {

std::string working_folder() {
  char name[4096];
  return getcwd(name, sizeof name) != nullptr ? name : "/";
}

/// The process's command and folder at its start. Programs change both: the words to show a title
/// in lists of processes, so the system knows only the title then, and the folder, too.
struct Start {
  std::vector<std::string> command;
  std::string folder;
};
Start& start() { return base::state<Start>(); }

[[gnu::constructor]] void note_start() { start() = {base::words_of_process(), working_folder()}; }

/// Lists options that say when the job is written, what becomes of it after deaths, and where its
/// ranks go. Ranks have in their memory what else they were told. Whoever restarts them says anew
/// on how many processes they are, and what is shown of them.
std::vector<Manifest::Option> options_of(const space::ControlHeader& job) {
  std::vector<Manifest::Option> options;
  const auto add_if = [&](bool is_so, const char* name, const char* value) {
    if (is_so) options.push_back({name, value});
  };
  add_if(job.settings.on_death == space::OnDeath::recover, "on-death", "recover");
  add_if(job.quiesce.incremental.is_setting != 0 ||
             std::getenv(bootstrap::incremental_variable) != nullptr,
         "checkpoint-incremental", "true");
  add_if(job.settings.reproducible != 0, "reproducible", "true");
  add_if(job.settings.balance != 0, "balance", "true");
  add_if(image::copies() != nullptr, "private-globals",
         std::getenv(bootstrap::private_globals_variable));
  for (const auto& [name, variable] :
       {std::pair{"checkpoint-every", bootstrap::checkpoint_every_variable},
        {"copy-every", bootstrap::copy_every_variable},
        {"collectives", team::collectives_variable},
        {"rebalance-every", bootstrap::rebalance_every_variable},
        {"rebalance-by", bootstrap::rebalance_by_variable}})
    if (const char* const value = std::getenv(variable); value != nullptr && *value != '\0')
      options.push_back({name, value});
  return options;
}

}  // namespace

Manifest describe(const space::ControlHeader& job, std::uint32_t number, std::uint32_t processes) {
  Manifest manifest;
  manifest.number = number;
  manifest.id = job.quiesce.folder.id;
  manifest.written_at = fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::gmtime(std::time(nullptr)));
  manifest.ranks = job.ranks;
  manifest.processes = processes;
  manifest.nodes = static_cast<std::uint32_t>(job.nodes);
  manifest.layout.segment_base = job.layout.segment_base;
  manifest.layout.segment_bytes = job.layout.segment_bytes;
  manifest.layout.stack_bytes = job.layout.stack_bytes;
  manifest.layout.slot_bytes = job.layout.slot_bytes;
  manifest.check_full = job.settings.check_full != 0;
  manifest.through = job.here.finished.load(std::memory_order_relaxed);
  manifest.restarts = job.quiesce.restarts;
  manifest.addresses = job.alike.addresses.load(std::memory_order_relaxed);
  const migration::Builds builds = migration::Builds::of_process();
  manifest.builds.program = migration::text(builds.program);
  manifest.builds.library = migration::text(builds.library);
  manifest.secrets = migration::secrets_text();
  manifest.folder = start().folder;
  manifest.command = start().command;
  manifest.options = options_of(job);
  return manifest;
}

std::string ranks_part(int process) { return fmt::format("ranks-{}", process); }

}  // namespace armature::checkpoints

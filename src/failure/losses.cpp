// A process says one line of those that it has lost on other nodes, and no stack, as nothing is
// wrong with this process.
//
// Our own launcher speaks for the processes under it. Another one says little of a death, nothing
// of a node that hangs, and may not even notice, so the processes say it. Where the job ends, the
// process of each node that has found out first does; where it goes on, only the first node that is
// left.
#include "failure/losses.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "base/runtime.hpp"
#include "failure/crash_report.hpp"

namespace armature::failure {
namespace {

using bootstrap::Member;
using space::Life;

struct Knowledge {
  const bootstrap::ProcessTable* process_table = nullptr;
  const space::Mapping* mapping = nullptr;
  bootstrap::Exchange* exchange = nullptr;
};
Knowledge& known() { return base::state<Knowledge>(); }

bool lives(const Member& process) {
  const Life life = known().mapping->slot(process.first_rank).life.load(std::memory_order_acquire);
  return life != Life::dead && life != Life::finished;
}

/// No process of a node before this one is left.
bool is_on_first_node() {
  for (const Member& member : known().process_table->members)
    if (member.node < known().process_table->self().node && lives(member)) return false;
  return true;
}

std::string sentence(int process, const char* why) {
  return fmt::format("{} has died or cannot be reached any more ({})",
                     name_of(*known().process_table, process), why);
}

void on_lost(int process, const char* why) {
  const bool goes_on = known().mapping->header().settings.on_death == space::OnDeath::go_on;
  if (known().process_table != nullptr && goes_on && is_on_first_node())
    say_line(sentence(process, why));
}

/// Says why the job ends. Without a process, `why` is the whole sentence.
void on_end(int process, const char* why) {
  if (known().process_table != nullptr) {
    say_line(process < 0 ? why : sentence(process, why) + ": the job ends");
    // Hydra that is asked to end a job may do so before it has passed on what was said.
    const timespec moment{0, 100'000'000};
    nanosleep(&moment, nullptr);
    end_job_at_once(*known().exchange);
  }
  const std::string text =
      process < 0 ? why
                  : fmt::format(
                        "process {} of the job, on another node, cannot be reached any more "
                        "({})",
                        process, why);
  give_up(1, text.c_str());
}

}  // namespace

void install_losses(net::NetworkOptions& options, const bootstrap::ProcessTable* process_table,
                    const space::Mapping& mapping, bootstrap::Exchange* exchange) {
  known() = {process_table, &mapping, exchange};
  options.say_lost = on_lost;
  options.end_job = on_end;
}

void warn_of_launcher(const bootstrap::ProcessTable& process_table, const space::Mapping& mapping,
                      bool hidden) {
  const bool goes_on = mapping.header().settings.on_death == space::OnDeath::go_on;
  const bool is_hydra = std::getenv("PMI_FD") != nullptr &&
                        std::getenv("MPI_LOCALNRANKS") != nullptr &&
                        std::getenv("SLURM_STEP_ID") == nullptr;
  if (!goes_on || hidden || !is_hydra || process_table.self().first_rank != 0) return;
  say_line(
      "ARMATURE_ON_DEATH=continue does not suffice with this launcher, which ends a job of which a "
      "process has died: start it with mpirun ... armature outlive PROGRAM");
}

void end_job_at_once(bootstrap::Exchange& exchange) {
  // The status is the same, whichever of us the launcher hears first: somebody was killed.
  constexpr int status = 128 + SIGKILL;
  const auto asked = std::make_shared<std::atomic<bool>>(false);
  std::thread([&exchange, asked] {
    exchange.end_job(status);
    *asked = true;
  }).detach();
  const timespec moment{0, 10'000'000};
  for (int i = 0; i < 100 && !*asked; ++i) nanosleep(&moment, nullptr);
  _exit(status);
}

std::string name_of(const bootstrap::ProcessTable& process_table, int process) {
  const Member& member = process_table.members[static_cast<std::size_t>(process)];
  const std::string ranks = process_table.are_virtual ? fmt::format("process {}", process)
                            : member.hosted == 1
                                ? fmt::format("rank {}", member.first_rank)
                                : fmt::format("the process of ranks {}-{}", member.first_rank,
                                              member.first_rank + member.hosted - 1);
  return fmt::format("{} (pid {} on {})", ranks, member.pid, member.host);
}

void say_line(const std::string& what) {
  const std::string line = fmt::format("armature: {}\n", what);
  (void)!write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace armature::failure

#include "command/run/hand_over.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/joined.hpp"
#include "bootstrap/environment.hpp"
#include "command/run/console.hpp"
#include "command/run/intervals.hpp"
#include "command/run/program.hpp"
#include "topology/cores.hpp"

extern "C" char** environ;  // NOLINT(readability-redundant-declaration)

namespace armature::command {
namespace {

using base::fail;
using Arguments = std::vector<std::string>;

void append(Arguments& words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
}

/// "a:4,b:4"
std::string with_slots(const Arguments& hosts, std::uint32_t slots) {
  std::string text;
  for (const auto& host : hosts)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", host, slots);
  return text;
}

/// Sets what the ranks find in their environment, whoever starts them.
void set_variables(const LaunchOptions& options) {
  const auto set = [](const char* name, const std::string& value) {
    setenv(name, value.c_str(), 1);
  };
  if (options.threads > 1) set("ARMATURE_THREADS", std::to_string(options.threads));
  if (options.segment_bytes != 0)
    set("ARMATURE_SEGMENT_SIZE", std::to_string(options.segment_bytes));
  if (options.segment_base != 0) set("ARMATURE_BASE", fmt::format("{:#x}", options.segment_base));
  if (options.check_full) set("ARMATURE_CHECK", "1");
  if (options.reproducible) set("ARMATURE_REPRODUCIBLE", "1");
  if (!options.topology.empty())
    set(bootstrap::topology_variable, std::filesystem::absolute(options.topology).string());
  if (options.on_death == space::OnDeath::go_on) set("ARMATURE_ON_DEATH", "continue");
  if (options.on_death == space::OnDeath::recover) set("ARMATURE_ON_DEATH", "recover");
  if (!options.virtual_ranks) return;
  tell_intervals(options);
  if (options.checkpoint_incremental) set(bootstrap::incremental_variable, "1");
  if (options.balance) set("ARMATURE_BALANCE", "1");
  set(bootstrap::virtual_variable, std::to_string(options.ranks));
  set(bootstrap::secrets_variable, options.secrets());
  if (options.stack_bytes != 0) set("ARMATURE_STACK_SIZE", std::to_string(options.stack_bytes));
}

/// Ours, and those of the libraries of networks: what the user has set for them wins everywhere.
Arguments names_of_settings() {
  Arguments names;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view assignment = *variable;
    const auto begins = [&](const char* prefix) { return assignment.starts_with(prefix); };
    if (begins("ARMATURE_") || begins("UCX_") || begins("FI_"))
      names.emplace_back(assignment.substr(0, assignment.find('=')));
  }
  return names;
}

/// Returns what the command says of itself.
std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "re"), &pclose);
  std::string text;
  char part[1024];
  while (pipe && std::fgets(part, sizeof part, pipe.get()) != nullptr) text += part;
  return text;
}

struct Found {
  ForeignLauncher launcher;
  std::string path;
};

/// Asks an mpirun whose MPI's it is.
std::optional<Found> recognise(const std::string& path) {
  const std::string version = output_of("'" + path + "' --version 2>&1");
  for (const char* name : {"Open MPI", "OpenRTE"})
    if (version.find(name) != std::string::npos) return Found{ForeignLauncher::open_mpi, path};
  if (version.find("HYDRA") != std::string::npos) return Found{ForeignLauncher::hydra, path};
  return std::nullopt;
}

Found find_launcher() {
  if (std::getenv("SLURM_JOB_ID") != nullptr)
    if (const Program srun = find_program("srun")) return {ForeignLauncher::srun, srun.path};
  for (const char* word : {"mpirun", "mpiexec", "mpiexec.hydra"}) {
    const Program program = find_program(word);
    if (!program) continue;
    if (const auto found = recognise(program.path)) return *found;
  }
  if (const Program prterun = find_program("prterun"))
    return {ForeignLauncher::prterun, prterun.path};
  fail(Errc::start,
       "--hosts needs a launcher that reaches other machines, and there is none in PATH: srun "
       "(within a Slurm allocation), mpirun or mpiexec of Open MPI or MPICH, prterun");
}

}  // namespace

std::uint32_t processes_of(const LaunchOptions& options) {
  if (!options.virtual_ranks) return options.ranks / options.threads;
  const auto hosts = static_cast<std::uint32_t>(options.hosts.size());
  const auto cores = static_cast<std::uint32_t>(topology::usable_cores());
  return std::min(options.processes != 0 ? options.processes : hosts * cores, options.ranks);
}

Arguments command_for(ForeignLauncher launcher, const std::string& path,
                      const LaunchOptions& options, const Arguments& settings) {
  const std::uint32_t processes = processes_of(options);
  const auto hosts = static_cast<std::uint32_t>(options.hosts.size());
  const std::uint32_t on_each = processes / hosts + (processes % hosts != 0 ? 1 : 0);
  const std::string count = std::to_string(processes);
  Arguments words = {path};
  switch (launcher) {
    case ForeignLauncher::srun:
      append(words, {"--mpi=pmix", "-N", std::to_string(hosts), "-n", count, "--ntasks-per-node",
                     std::to_string(on_each), "-w", base::joined(options.hosts, ",")});
      if (options.label) append(words, {"--label"});
      break;
    case ForeignLauncher::open_mpi:
    case ForeignLauncher::prterun:
      append(words, {"--host", with_slots(options.hosts, on_each), "-n", count});
      for (const auto& name : settings) append(words, {"-x", name});
      if (options.label) append(words, {"--tag-output"});
      break;
    case ForeignLauncher::hydra:
      append(words, {"-hosts", with_slots(options.hosts, on_each), "-ppn", std::to_string(on_each),
                     "-n", count});
      if (options.label) append(words, {"-prepend-rank"});
      break;
  }
  if (options.on_death != space::OnDeath::end_job)  // this command itself lies there on all hosts
    append(words, {std::filesystem::read_symlink("/proc/self/exe").string(), "outlive"});
  words.insert(words.end(), options.command.begin(), options.command.end());
  return words;
}

OtherCommand command_of_other(const LaunchOptions& options) {
  const Found found = find_launcher();
  set_variables(options);
  const Arguments words = command_for(found.launcher, found.path, options, names_of_settings());
  if (options.verbose) say(base::joined(words, " "));
  return {found.launcher, words};
}

void become(const OtherCommand& command) {
  std::vector<char*> arguments;
  for (const auto& word : command.words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(arguments.front(), arguments.data());
  fail(Errc::start,
       fmt::format("{} cannot be run: {}", command.words.front(), base::system_text(errno)));
}

}  // namespace armature::command

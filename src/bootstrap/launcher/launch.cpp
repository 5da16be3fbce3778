#include "bootstrap/launcher/launch.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/fail.hpp"
#include "bootstrap/launcher/binding.hpp"
#include "bootstrap/launcher/console.hpp"
#include "bootstrap/launcher/program.hpp"
#include "bootstrap/launcher/running_job.hpp"
#include "bootstrap/launcher/spawn.hpp"
#include "space/job_memory.hpp"
#include "topology/cores.hpp"
#include "topology/hwloc/cores.hpp"

namespace armature::bootstrap {
namespace {

/// So that none of the job's files becomes somebody's stdin or stdout.
void open_standard_descriptors() {
  int fd = 0;
  do {
    fd = open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  close(fd);
}

Binding bind_ranks(const LaunchOptions& options, std::uint32_t ranks) {
  const bool needless = options.bind == Bind::automatic &&
                        (ranks == 1 || ranks > topology::allowed_processors().size());
  if (options.bind == Bind::none || needless) return {};
  return choose_binding(topology::allowed_cores(), ranks, options.bind);
}

void describe(const LaunchOptions& options, const space::ControlHeader& header,
              const Binding& binding) {
  say(fmt::format("{} ranks of {} on {} cores, {}; a band of {} each from {:#x} on", header.ranks,
                  options.command.front(), header.cores, binding.empty() ? "not bound" : "bound",
                  base::readable_bytes(header.band_bytes), header.band_base));
}

}  // namespace

int launch(const LaunchOptions& options) {
  const Program program = find_program(options.command.front());
  if (!program) {
    say_headline(program.problem);
    return program.status;
  }
  open_standard_descriptors();
  const auto cores = static_cast<std::uint32_t>(topology::usable_cores());
  const std::uint32_t ranks = options.ranks != 0 ? options.ranks : cores;
  raise_file_limit(ranks, options.label);
  space::JobMemory memory = space::JobMemory::create({.ranks = ranks,
                                                      .band_base = options.band_base,
                                                      .band_bytes = options.band_bytes,
                                                      .cores = cores,
                                                      .check_full = options.check_full,
                                                      .on_death = options.on_death});
  line_up(memory.bands);
  const space::Control control = space::map_control(memory.control.get());
  control.header().launcher_pid = getpid();
  prctl(PR_SET_CHILD_SUBREAPER, 1);

  Binding binding = bind_ranks(options, ranks);
  if (options.verbose) describe(options, control.header(), binding);
  return RunningJob(options, memory, control).run(program.path, std::move(binding));
}

}  // namespace armature::bootstrap

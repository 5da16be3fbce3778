#include "world/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <optional>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "bootstrap/environment.hpp"
#include "progress/rank_context.hpp"
#include "progress/wait.hpp"
#include "space/job_memory.hpp"
#include "topology/cores.hpp"
#include "world/last_words.hpp"

namespace armature {
namespace {

using bootstrap::Environment;
using space::AddressSpace;
using space::Mapping;

/// What the launcher told this process; nothing when it was started by itself. Read once.
const std::optional<Environment>& told() {
  static const std::optional<Environment> environment = [] {
    Environment taken;
    return Environment::take(taken) ? std::optional(taken) : std::nullopt;
  }();
  return environment;
}

}  // namespace

int Process::hosted() { return told() ? told()->hosted : 1; }

bool Process::simulated() { return told() && join().mapping().header().simulated != 0; }

bool Process::hosts_virtual_ranks() {
  return told() && join().mapping().header().ranks_are_virtual != 0;
}

Process& Process::join() {
  static Process* const process = [] {
    auto joining = std::unique_ptr<Process>(new Process);
    progress::set_joining_rank(told() ? told()->rank : 0);
    told() ? joining->join_launched() : joining->join_alone();
    const Mapping& mapping = joining->mapping();
    detail::install_last_words(mapping, joining->first_rank(), told().has_value());
    progress::start_waiting(mapping.header());
    return joining.release();
  }();
  return *process;
}

/// Joins with the descriptors that the launcher left open; closes all but the own bands'.
void Process::join_launched() {
  const Environment& environment = *told();
  base::FileDescriptor control_file(environment.control_fd);
  space::Control control = space::map_control(control_file.get());
  if (control.header().ranks_are_virtual != 0)
    control = space::map_below_bands(control, control_file.get());
  const auto ranks = static_cast<int>(control.header().ranks);
  if (environment.hosted > ranks || environment.rank > ranks - environment.hosted)
    base::fail(
        Errc::start,
        fmt::format("rank {} of a job of {} ranks: {} is set by armature run and must be left "
                    "alone",
                    environment.rank + environment.hosted - 1, ranks, bootstrap::rank_variable));
  const bool one_file = control.header().ranks_are_virtual != 0;
  const int files = one_file ? 1 : ranks;
  std::vector<int> bands;
  for (int file = 0; file < files; ++file) bands.push_back(environment.first_band_fd + file);
  // Started by a script: die with it, as it dies with the launcher.
  if (getppid() != control.header().launcher_pid) prctl(PR_SET_PDEATHSIG, SIGKILL);
  mapping_ = &Mapping::join(control, bands);
  const auto is_hosted = [&](int r) {
    return r >= environment.rank && r < environment.rank + environment.hosted;
  };
  for (int file = 0; file < files; ++file) {
    base::FileDescriptor band(bands[static_cast<std::size_t>(file)]);
    if (!one_file && !is_hosted(file)) continue;
    fcntl(band.release(), F_SETFD, FD_CLOEXEC);
  }
  first_rank_ = environment.rank;
  band_file_ = bands.front();
  if (one_file) return;
  for (int r = environment.rank; is_hosted(r); ++r)
    spaces_.push_back(std::make_unique<AddressSpace>(
        *mapping_, r, AddressSpace::BandFile{bands[static_cast<std::size_t>(r)]}));
}

void Process::join_alone() {
  space::JobOptions options;
  options.cores = static_cast<std::uint32_t>(topology::usable_cores());
  space::JobMemory memory = space::JobMemory::create(options);
  mapping_ = &Mapping::join(space::map_control(memory.control.get()), {memory.bands[0].get()});
  spaces_.push_back(std::make_unique<AddressSpace>(
      *mapping_, 0, AddressSpace::BandFile{memory.bands[0].release()}));
}

}  // namespace armature

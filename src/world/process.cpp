#include "world/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/futex.hpp"
#include "base/own_process.hpp"
#include "base/runtime.hpp"
#include "base/valgrind.hpp"
#include "bootstrap/end_with_launcher.hpp"
#include "bootstrap/environment.hpp"
#include "bootstrap/find_exchange.hpp"
#include "bootstrap/key_value_store.hpp"
#include "bootstrap/mpi_exchange.hpp"
#include "bootstrap/read_for_node.hpp"
#include "bootstrap/start_again.hpp"
#include "bootstrap/tell_joined.hpp"
#include "failure/crash_report.hpp"
#include "failure/losses.hpp"
#include "failure/node_watch.hpp"
#include "migration/addresses.hpp"
#include "net/network.hpp"
#include "rmi/settings.hpp"
#include "space/address_reservation.hpp"
#include "space/job_memory.hpp"
#include "topology/cores.hpp"
#include "wait/connecting.hpp"
#include "wait/more_sharers.hpp"
#include "wait/processes.hpp"
#include "wait/rank_context.hpp"
#include "wait/recorded_links.hpp"
#include "wait/trace.hpp"
#include "wait/wait.hpp"
#include "world/net_device.hpp"
#include "world/restored_memory.hpp"
#include "world/services.hpp"
#include "world/simulated_turns.hpp"
#include "world/valgrind.hpp"
#include "world/variables.hpp"

namespace armature {
namespace {

using bootstrap::Environment;
using space::AddressSpace;
using space::Mapping;

/// The launcher's word to this process; nothing when it was started by itself. Read once.
struct Told {
  Told() {
    Environment taken;
    if (Environment::take(taken)) environment = taken;
  }
  std::optional<Environment> environment;
};
const std::optional<Environment>& told() { return base::state<Told>().environment; }

/// How this process comes into its job.
struct Entry {
  std::mutex finding;  // the exchange; held for as long as that takes
  bool has_looked = false;
  std::unique_ptr<bootstrap::KeyValueStore> store;  // of our launcher, with several nodes
  bootstrap::Exchange* exchange = nullptr;          // for ever, unless the process says farewell
  base::OwnProcess has_exchange;                    // which one has
  std::unique_ptr<bootstrap::Exchange> given;       // by the program, which has an MPI
  std::optional<space::AddressReservation> room;    // until the segments are mapped
  std::mutex joining;                               // held for as long as that takes
  Process* process = nullptr;                       // once it has joined; for ever
  Process* mapped = nullptr;                        // the same, from when it has the job's memory
  bool has_left = false;
};
Entry& entry() { return base::state<Entry>(); }

bool have_all_left() {
  const Process* const joined = entry().mapped;
  if (joined == nullptr) return true;
  if (joined->mapping().header().ranks_are_virtual != 0) return entry().has_left;
  return std::all_of(joined->spaces().begin(), joined->spaces().end(), [](const auto& space) {
    return space->slot(space->me()).life.load() == space::Life::finished;
  });
}

/// A launcher takes a process that ends without a farewell for one that has failed, and so it is
/// unless all its ranks have left. Some launchers believe a status of 0 all the same.
void say_farewell(int status, void* exchange) {
  if (!entry().has_exchange.is_this()) return;
  if (have_all_left()) {
    delete static_cast<bootstrap::Exchange*>(exchange);
  } else if (status == 0) {
    std::fputs(
        "armature: this process ends (exit, or a return from main) without having left its job\n",
        stderr);
    std::fflush(nullptr);  // as exit would do behind us
    _exit(1);
  }
}

/// Another launcher's way to let its processes speak with each other; nullptr when there is none. A
/// job of one rank needs nobody.
bootstrap::Exchange* exchange() {
  Entry& here = entry();
  const std::lock_guard locked(here.finding);
  if (here.has_looked) return here.exchange;
  if (here.given) {
    here.exchange = here.given.release();
  } else {
    if (!told() && !base::on_valgrind) here.room.emplace(room_to_hold(bootstrap::restart_wanted()));
    // The launcher's library brings others, each process its own way.
    if (bootstrap::virtual_ranks_wanted() != 0) migration::note_modules();
    auto found = told() ? nullptr : bootstrap::find_exchange();
    here.has_exchange.remember();
    if (found != nullptr) on_exit(say_farewell, found.get());
    here.exchange = found.release();
  }
  here.has_looked = true;
  return here.exchange;
}

/// Keeps the same files once more, behind all of them, one number after the other. Returns the
/// first.
int keep_in_a_row(const std::vector<int>& files) {
  for (int first = files.back() + 1;; ++first) {
    std::vector<int> kept;
    for (const int file : files) {
      kept.push_back(fcntl(file, F_DUPFD_CLOEXEC, first + static_cast<int>(kept.size())));
      if (kept.back() < 0) base::fail(Errc::start, "too many open files (ulimit -n)");
    }
    if (kept.back() - kept.front() == static_cast<int>(kept.size()) - 1) return kept.front();
    for (const int file : kept) close(file);
  }
}

}  // namespace

int Process::hosted() {
  if (told()) return told()->hosted;
  if (const bootstrap::Exchange* const wire = exchange())
    return ranks_of_wired_process(wire->process(), wire->processes());
  return std::max(bootstrap::virtual_ranks_wanted(), 1);
}

const bootstrap::ProcessTable* Process::process_table() {
  const Process* const joined = entry().mapped;
  return joined != nullptr && joined->wired_ ? &joined->wired_->process_table : nullptr;
}

bool Process::is_launched() { return told().has_value(); }

void Process::use_mpi(const void* communicator) {
  std::string why_not;
  auto mpi = bootstrap::open_mpi(communicator, why_not);
  if (mpi == nullptr) base::fail(Errc::start, fmt::format("init_mpi: {}", why_not));
  if (!told()) {
    entry().given = std::move(mpi);
    return;
  }
  const auto processes = static_cast<int>(join().mapping().header().processes);
  if (mpi->processes() != processes)
    base::fail(Errc::start,
               fmt::format("armature run has started {} processes, but to MPI they are {}: start "
                           "programs that use MPI with its mpirun, without armature run",
                           processes, mpi->processes()));
}

bool Process::simulated() { return told() && join().mapping().header().simulation.on != 0; }

bool Process::hosts_virtual_ranks() {
  return told() ? join().mapping().header().ranks_are_virtual != 0
                : bootstrap::virtual_ranks_wanted() != 0;
}

bool Process::all_have(std::uint64_t number) const {
  if (!wired_) return true;
  bootstrap::Exchange& wire = *exchange();
  wire.put("alike", std::as_bytes(std::span(&number, 1)));
  tell_checkpoint(wire, wired_->checkpoint);
  wire.fence();
  require_one_checkpoint(wire, wired_->process_table);
  const bootstrap::ProcessTable& table = wired_->process_table;
  const auto here = static_cast<int>(table.processes_of(table.self().node).size());
  const bootstrap::Values told = bootstrap::read_for_node(
      wire, "alike", table.secret, [here](const bootstrap::Values&) { return here - 1; });
  return std::all_of(told.begin(), told.end(), [number](const std::vector<std::byte>& bytes) {
    return bytes.size() == sizeof number && std::memcmp(bytes.data(), &number, sizeof number) == 0;
  });
}

std::uint64_t Process::wire_up_reads() {
  if (told()) return entry().store ? entry().store->reads() : 0;
  const bootstrap::Exchange* const wire = exchange();
  return wire != nullptr ? wire->reads() : 0;
}

void Process::restore_memory() const {
  std::atomic<std::uint32_t>& is_filling = mapping_->header().quiesce.is_filling;
  if (wired_ && wired_->checkpoint) fill(wired_->memory, *wired_->checkpoint);
  while (is_filling.load(std::memory_order_acquire) != 0)
    base::futex_wait(is_filling, 1, 1'000'000'000);
  if (wired_ && wired_->process_table.nodes > 1) exchange()->fence_of_the_busy();
}

Process& Process::join() {
  Entry& here = entry();
  const std::lock_guard locked(here.joining);
  if (here.process != nullptr) return *here.process;
  require_sense_of_variables();
  hosting::list_services();
  auto joining = std::unique_ptr<Process>(new Process);
  wait::set_joining_rank(told() ? (told()->hosted > 0 ? told()->rank : -1) : 0);
  if (told())
    joining->join_launched();
  else
    exchange() != nullptr ? joining->join_wired() : joining->join_alone();
  const Mapping& mapping = joining->mapping();
  hosting::require_same_services(mapping.header());
  failure::install_crash_reports(mapping, Process::hosted() > 0 ? joining->first_rank() : -1,
                                 told().has_value());
  wait::start_waiting(mapping.header());
  wait::count_more_sharers(static_cast<int>(rmi::method_threads_at_start()));
  // A process that joins later has no rank to tell which process it is.
  if (told())
    wait::open_trace(
        told()->process >= 0
            ? told()->process
            : mapping.slot(joining->first_rank()).process.load(std::memory_order_relaxed));
  if (told()) wait::open_recorded_links(mapping.ranks());
  if (exchange() != nullptr) wait::make_own_trace(exchange()->process(), mapping.ranks());
  here.mapped = joining.get();
  joining->tell_connecting();
  if (joining->wired_) failure::watch_node(joining->wired_->process_table, mapping, *exchange());
  if (mapping.header().ranks_are_virtual == 0) {
    net::Network::Spaces spaces;
    for (const auto& space : joining->spaces()) spaces.push_back(space.get());
    joining->join_network(std::move(spaces));
    joining->tell_connected();
    joining->tell_joined();
  }
  here.process = joining.release();
  return *here.process;
}

/// Joins with the descriptors that the launcher left open; closes all but the own segments'.
void Process::join_launched() {
  const Environment& environment = *told();
  base::FileDescriptor control_file(environment.control_fd);
  space::Control control = space::map_control(control_file.get());
  warn_of_segments_on_valgrind(control.header());
  if (control.header().ranks_are_virtual != 0)
    control = space::map_below_segments(control, control_file.get());
  const auto ranks = static_cast<int>(control.header().ranks);
  if (environment.hosted > ranks || environment.rank > ranks - environment.hosted)
    base::fail(
        Errc::start,
        fmt::format("rank {} of a job of {} ranks: {} is set by armature run and must be left "
                    "alone",
                    environment.rank + environment.hosted - 1, ranks, bootstrap::rank_variable));
  const bool are_virtual = control.header().ranks_are_virtual != 0;
  std::vector<int> segments;
  for (int file = 0; file < static_cast<int>(space::segment_files(control.header())); ++file)
    segments.push_back(environment.first_segment_fd + file);
  bootstrap::end_with_launcher(environment.launcher_fd, control.header().launcher.pid);
  mapping_ = &Mapping::join(control, segments);
  const int end = environment.rank + environment.hosted;
  const auto file_of = [&](int rank) {
    return control.header().layout.file_place(static_cast<std::uint32_t>(rank)).file;
  };
  for (std::size_t file = 0; file < segments.size(); ++file) {
    base::FileDescriptor segment(segments[file]);
    if (!are_virtual && (file < file_of(environment.rank) || file > file_of(end - 1))) continue;
    fcntl(segment.release(), F_SETFD, FD_CLOEXEC);
  }
  first_rank_ = environment.rank;
  number_ = environment.process >= 0
                ? environment.process
                : mapping_->slot(environment.rank).process.load(std::memory_order_relaxed);
  segment_file_ = segments.front();
  for (int r = environment.rank; !are_virtual && r < end; ++r) make_space(r, segments[file_of(r)]);
}

void Process::make_space(int rank, int file) {
  const std::uint64_t offset =
      mapping_->header().layout.file_place(static_cast<std::uint32_t>(rank)).offset;
  spaces_.push_back(
      std::make_unique<AddressSpace>(*mapping_, rank, AddressSpace::SegmentFile{file, offset}));
}

/// The memory files came from the node's first process, which keeps all of them open.
void Process::join_wired() {
  wait::set_joining_rank(
      first_rank_of_wired_process(exchange()->process(), exchange()->processes()));
  wired_ = std::make_unique<WiredJob>(wire_up(*exchange()));
  const bootstrap::Member& self = wired_->process_table.self();
  first_rank_ = self.first_rank;
  number_ = exchange()->process();
  const std::vector<int> segments = map(wired_->memory);
  const space::JobLayout& layout = mapping_->header().layout;
  // Stays open as long as the process lives; numbered behind the segments of all ranks, whose order
  // tells who looks at the job from outside which is whose.
  std::map<std::size_t, int> kept;  // by the file's number: ranks may share one
  const auto keep = [&](std::size_t file) {
    if (const auto known = kept.find(file); known != kept.end()) return known->second;
    const int number = fcntl(segments[file], F_DUPFD_CLOEXEC, segments.back() + 1);
    if (number < 0) base::fail(Errc::start, "too many open files (ulimit -n)");
    return kept.emplace(file, number).first->second;
  };
  if (wired_->process_table.are_virtual)
    segment_file_ = keep_in_a_row(segments);
  else
    for (int r = self.first_rank; r < self.first_rank + self.hosted; ++r)
      make_space(r, keep(layout.file_place(static_cast<std::uint32_t>(r)).file));
  if (self.index != 0) wired_->memory = {};
}

/// Returns the descriptors of the segments.
std::vector<int> Process::map(const space::JobMemory& memory) {
  entry().room.reset();
  space::Control control = space::map_control(memory.control.get());
  if (control.header().ranks_are_virtual != 0)
    control = space::map_below_segments(control, memory.control.get());
  std::vector<int> segments;
  for (const auto& segment : memory.segments) segments.push_back(segment.get());
  mapping_ = &Mapping::join(control, segments);
  return segments;
}

void Process::tell_connecting() const {
  for (int r = first_rank_; r < first_rank_ + hosted(); ++r)
    wait::tell_connecting(mapping_->slot(r));
}

void Process::tell_connected() const {
  for (int r = first_rank_; r < first_rank_ + hosted(); ++r)
    wait::tell_connected(mapping_->slot(r));
}

void Process::leave() {
  net::Network::leave();
  entry().has_left = true;
  bootstrap::tell_left();
}

void Process::tell_joined() const {
  if (wired_) failure::warn_of_launcher(wired_->process_table, *mapping_, bootstrap::tell_joined());
}

void Process::join_network(net::Network::Spaces spaces) const {
  const space::ControlHeader& job = mapping_->header();
  if (job.nodes == 1 && !job.acts_in_turn()) return;
  if (wired_) return join_network(std::move(spaces), *exchange(), {});
  // The network finds those who come later by it.
  std::unique_ptr<bootstrap::KeyValueStore>& store = entry().store;
  store =
      std::make_unique<bootstrap::KeyValueStore>(base::FileDescriptor(told()->store_fd), number_);
  if (job.nodes == 1) return take_turns(*mapping_, *store);
  join_network(std::move(spaces), *store, device_beside(job.launcher.pid));
}

void Process::join_alone() {
  space::JobOptions options;
  options.cores = static_cast<std::uint32_t>(topology::usable_cores());
  if (const int ranks = bootstrap::virtual_ranks_wanted(); ranks != 0) {
    options.ranks = static_cast<std::uint32_t>(ranks);
    options.virtual_processes = 1;
  }
  set_sizes(options, base::on_valgrind);
  const auto checkpoint = checkpoint_to_go_on_from();
  space::JobMemory memory =
      checkpoint ? memory_to_fill(options, *checkpoint) : space::JobMemory::create(options);
  if (checkpoint) fill(memory, *checkpoint);
  (void)map(memory);
  segment_file_ = memory.segments[0].release();
  if (!options.virtual_processes) make_space(0, segment_file_);
}

}  // namespace armature

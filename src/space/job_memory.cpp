#include "space/job_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/write_all.hpp"
#include "space/copy_file.hpp"
#include "space/layout.hpp"
#include "space/reserve.hpp"
#include "space/segment_head.hpp"
#include "space/team_block.hpp"
#include "space/virtual_segment.hpp"
#include "space/world_place.hpp"
#include "space/write_levels.hpp"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace armature::space {
namespace {

using base::fail;

base::FileDescriptor memory_file(const char* name, std::uint64_t bytes) {
  base::FileDescriptor file(memfd_create(name, MFD_CLOEXEC));
  if (!file)
    fail(Errc::start, fmt::format("memfd_create({}) failed: {}. {}", name, base::system_text(errno),
                                  errno == EMFILE || errno == ENFILE
                                      ? "Raise the limit of open files (ulimit -n)"
                                      : "Armature needs Linux memory files"));
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < bytes)
    fail(Errc::start,
         fmt::format(
             "a memory file of {} is more than the file size limit of {} (RLIMIT_FSIZE): raise it "
             "(ulimit -f unlimited) or ask for smaller segments (--segment-size)",
             base::readable_bytes(bytes), base::readable_bytes(limit.rlim_cur)));
  if (ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
    fail(Errc::start, fmt::format("a memory file of {} cannot be made: {}",
                                  base::readable_bytes(bytes), base::system_text(errno)));
  return file;
}

void write_at(int fd, const void* data, std::size_t bytes, std::uint64_t offset) {
  if (!base::write_all_at(fd, data, bytes, offset))
    fail(Errc::start,
         fmt::format("the job's memory cannot be written: {}", base::system_text(errno)));
}

/// The length of the memory file whose first segment is that of rank `first`.
std::uint64_t segment_file_bytes(const ControlHeader& header, std::uint32_t first) {
  const std::uint64_t count = std::min(header.layout.file_segments, header.ranks - first);
  return count * header.layout.segment_bytes +
         (world_lies_behind(header) ? TeamBlock::bytes(header.ranks) : 0);
}

void check(const ControlHeader& header) {
  if (header.ranks == 0 || header.ranks > ranks_max)
    fail(Errc::start,
         fmt::format("{} ranks are not possible: 1 to {} are", header.ranks, ranks_max));
  if (!std::has_single_bit(header.layout.segment_bytes) ||
      header.layout.segment_bytes < segment_bytes_min)
    fail(Errc::start,
         fmt::format(
             "a segment of {} bytes is not possible: it must be a power of two and at least {}",
             header.layout.segment_bytes, base::readable_bytes(segment_bytes_min)));
  if (header.layout.segment_base % 4096 != 0 || header.layout.segment_base == 0)
    fail(Errc::start,
         fmt::format("segments cannot start at {:#x}: the address must be a multiple of 4096",
                     header.layout.segment_base));
  if (header.layout.segment_base >= address_end ||
      (address_end - header.layout.segment_base) / header.layout.segment_bytes < header.ranks)
    fail(Errc::start,
         fmt::format(
             "{} segments of {} from {:#x} on do not fit below {:#x}: choose smaller segments "
             "(--segment-size)",
             header.ranks, base::readable_bytes(header.layout.segment_bytes),
             header.layout.segment_base, address_end));
  if (header.ranks_are_virtual != 0 &&
      (header.layout.stack_bytes % 4096 != 0 || header.layout.stack_bytes < stack_bytes_min ||
       header.layout.stack_bytes > header.layout.segment_bytes / 4))
    fail(Errc::start,
         fmt::format(
             "stacks of {} bytes are not possible: {} to a quarter of a segment ({}) are, in "
             "whole pages (--stack-size, --segment-size)",
             header.layout.stack_bytes, base::readable_bytes(stack_bytes_min),
             base::readable_bytes(header.layout.segment_bytes / 4)));
  if (heap_start(header) > header.layout.segment_bytes / 2)
    fail(Errc::start, fmt::format("segments of {} are too small for a job of {} ranks",
                                  base::readable_bytes(header.layout.segment_bytes), header.ranks));
}

ControlHeader& fill(ControlHeader& header, const JobOptions& options) {
  header.ranks = options.ranks;
  const std::uint32_t together = std::max<std::uint32_t>(options.ranks_per_process, 1);
  header.processes = options.ranks / together + (options.ranks % together != 0 ? 1 : 0);
  if (options.virtual_processes)
    header.processes =
        std::clamp<std::uint32_t>(*options.virtual_processes, 1, std::max(options.ranks, 1u));
  header.layout.segment_bytes =
      options.segment_bytes != 0 ? options.segment_bytes : default_segment_bytes(options.ranks);
  header.layout.segment_base = options.segment_base != 0 ? options.segment_base : default_base;
  header.settings.cores = options.cores;
  header.settings.check_full = options.check_full || always_check_full ? 1 : 0;
  header.settings.reproducible = options.reproducible ? 1 : 0;
  header.settings.on_death = options.on_death;
  header.launcher.pid = options.launcher_pid;
  header.simulation.on = options.simulation_seed ? 1 : 0;
  header.simulation.deaths = options.simulated_deaths;
  header.simulation.leaves = options.simulated_leaves;
  header.simulation.joins = options.simulated_joins;
  header.simulation.seed = options.simulation_seed.value_or(0);
  header.ranks_are_virtual = options.virtual_processes ? 1 : 0;
  if (options.virtual_processes)
    header.layout.stack_bytes = options.stack_bytes != 0
                                    ? options.stack_bytes
                                    : default_stack_bytes(header.layout.segment_bytes);
  header.settings.keeps_copies =
      options.virtual_processes && options.on_death == OnDeath::recover ? 1 : 0;
  header.started_ns = base::now_ns();
  header.node = options.node;
  header.nodes = std::max(static_cast<std::int32_t>(options.nodes.size()), 1);
  for (const std::int32_t node : options.node_of_rank)
    header.nodes = std::max(header.nodes, node + 1);
  if (options.virtual_processes && header.nodes == 1 && !options.slots_have_pages)
    header.layout.slot_bytes = sizeof(RankSlot);
  header.layout.file_segments = world_lies_behind(header)
                                    ? std::max(options.ranks, 1u)
                                    : (options.ranks + segment_files_max - 1) / segment_files_max;
  check(header);
  return header;
}

/// The team of all ranks. Everything else is right as zeros.
void write_world(const JobMemory& memory, const ControlHeader& header, std::uint32_t users) {
  const auto block = std::make_unique<std::byte[]>(TeamBlock::head_bytes(header.ranks));
  auto* world = new (block.get()) TeamBlock;
  world->size = header.ranks;
  world->users = users;
  for (std::uint32_t r = 0; r < header.ranks; ++r) world->ranks()[r] = static_cast<std::int32_t>(r);
  write_at(memory.segments[0].get(), block.get(), TeamBlock::head_bytes(header.ranks),
           world_lies_behind(header) ? header.ranks * header.layout.segment_bytes
                                     : SegmentHead::world_block_offset(header.ranks));
}

/// The last of those that begin there or before.
std::int32_t row_of(std::uint32_t rank, const std::vector<std::uint32_t>& first) {
  const auto after = std::upper_bound(first.begin(), first.end(), rank);
  return std::max(static_cast<std::int32_t>(after - first.begin()) - 1, 0);
}

/// The process that hosts a rank.
std::int32_t process_of(std::uint32_t rank, const ControlHeader& job, const JobOptions& options) {
  if (!options.first_ranks.empty()) return row_of(rank, options.first_ranks);
  if (options.virtual_processes)
    return static_cast<std::int32_t>(std::uint64_t{rank} * job.processes / job.ranks);
  return static_cast<std::int32_t>(rank / std::max<std::uint32_t>(options.ranks_per_process, 1));
}

/// Writes down which process hosts each rank, and as which of its ranks.
void place_ranks(const Control& control, const JobOptions& options) {
  for (std::uint32_t r = 0; r < control.header().ranks; ++r) {
    RankSlot& slot = control.slot(static_cast<int>(r));
    slot.process.store(process_of(r, control.header(), options), std::memory_order_relaxed);
    const bool follows = r > 0 && (control.header().is_one_process() ||
                                   control.slot(static_cast<int>(r) - 1).process == slot.process);
    control.home(static_cast<int>(r)) = {slot.process, slot.node};
    slot.index = follows ? control.slot(static_cast<int>(r) - 1).index + 1 : 0;
  }
}

/// The node that hosts a rank.
std::int32_t node_of(std::uint32_t rank, const JobOptions& options) {
  return options.node_of_rank.empty() ? row_of(rank, options.nodes) : options.node_of_rank[rank];
}

}  // namespace

JobMemory JobMemory::create(const JobOptions& options) {
  ControlHeader header;
  fill(header, options);
  JobMemory memory;
  memory.control = memory_file(control_name, Control::bytes(header));
  // Memory that is used is reserved now, so that no later access fails for want of memory. The
  // crash reports of so many ranks are not reserved.
  if (!reserve(memory.control.get(), 0, Control::bytes_in_use(header)))
    fail(Errc::start, fmt::format("no memory for the control block of {} ranks: {}", header.ranks,
                                  base::system_text(errno)));
  void* start = mmap(nullptr, Control::bytes(header), PROT_READ | PROT_WRITE, MAP_SHARED,
                     memory.control.get(), 0);
  if (start == MAP_FAILED)
    fail(Errc::start,
         fmt::format("the control block cannot be mapped: {}", base::system_text(errno)));
  new (start) ControlHeader;
  Control control{static_cast<std::byte*>(start)};
  fill(control.header(), options);
  std::uint32_t here = 0;
  for (std::uint32_t process = 0; process < Control::process_slots(header); ++process)
    new (&control.process(static_cast<int>(process))) ProcessSlot;
  for (std::uint32_t r = 0; r < header.ranks; ++r) {
    auto* slot = new (&control.slot(static_cast<int>(r))) RankSlot;
    slot->rank = static_cast<std::int32_t>(r);
    slot->node = node_of(r, options);
    if (slot->node == options.node)
      ++here;
    else
      slot->asleep = 1;
    new (&control.segments()[r]) detail::SegmentView;
  }
  for (std::uint32_t first = 0; first < header.ranks; first += header.layout.file_segments)
    memory.segments.push_back(memory_file(segment_name, segment_file_bytes(header, first)));
  for (int copy = 0; header.settings.keeps_copies != 0 && copy < 2; ++copy)
    memory.segments.push_back(memory_file(copy_name, copy_file_bytes(header)));
  place_ranks(control, options);
  control.header().here.ranks = here;
  for (std::uint32_t r = 0; r < header.ranks; ++r)
    if (const RankSlot& slot = control.slot(static_cast<int>(r)); slot.index == 0) {
      control.process(slot.process).node = slot.node;
      if (slot.node == options.node) ++control.header().here.processes;
    }
  write_levels(control, places_by_nodes(control));
  write_world(memory, header, here);
  munmap(start, Control::bytes(header));
  return memory;
}

bool read_header(int fd, ControlHeader& header) {
  return pread(fd, &header, sizeof header, 0) == sizeof header && header.magic == control_magic;
}

Control map_control(int fd, bool writable) {
  struct stat status {};
  if (fstat(fd, &status) != 0 || static_cast<std::size_t>(status.st_size) < sizeof(ControlHeader))
    fail(Errc::start, fmt::format("descriptor {} is not the control block of a job", fd));
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* start =
      mmap(nullptr, bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
  if (start == MAP_FAILED)
    fail(Errc::start,
         fmt::format("the control block cannot be mapped: {}", base::system_text(errno)));
  const Control control{static_cast<std::byte*>(start)};
  const ControlHeader& header = control.header();
  if (header.magic != control_magic || header.version != control_version || header.ranks == 0 ||
      header.ranks > ranks_max || header.layout.slot_bytes < sizeof(RankSlot) ||
      header.layout.slot_bytes > Control::slot_page || Control::bytes(header) > bytes) {
    munmap(start, bytes);
    fail(Errc::start,
         "the control block was made by another build of Armature: start the program with the "
         "launcher of "
         "the same installation");
  }
  return control;
}

Control map_below_segments(const Control& control, int fd) {
  const std::size_t bytes = Control::bytes(control.header());
  const std::uint64_t wanted =
      control.header().layout.segment_base - below_segments_bytes - (bytes + 4095) / 4096 * 4096;
  void* got = mmap(reinterpret_cast<void*>(wanted), bytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
  if (got != reinterpret_cast<void*>(wanted)) {
    if (got != MAP_FAILED) munmap(got, bytes);
    return control;
  }
  munmap(control.start, bytes);
  return {static_cast<std::byte*>(got)};
}

}  // namespace armature::space

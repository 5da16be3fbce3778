#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/file_descriptor.hpp"
#include "space/control.hpp"

namespace armature::space {

/// Debug builds check every address in full, whatever was asked for.
#if defined(ARMATURE_DEBUG)
inline constexpr bool always_check_full = true;
#else
inline constexpr bool always_check_full = false;
#endif

struct JobOptions {
  std::uint32_t ranks = 1;
  std::uint32_t ranks_per_process = 1;  // the last process may host fewer
  // Virtual ranks: so many processes, each hosting as many as the others or one more.
  std::optional<std::uint32_t> virtual_processes;
  std::vector<std::uint32_t> first_ranks = {};  // of each of these; empty: as first_rank_of says
  std::uint64_t stack_bytes = 0;                // of each of them; 0: the default
  bool slots_have_pages = false;                // as on several nodes, where they may come from
  std::uint64_t segment_base = 0;               // 0: the default
  std::uint64_t segment_bytes = 0;              // 0: as large as fits, at most 256 GiB
  std::uint32_t cores = 1;
  bool check_full = false;
  bool reproducible = false;
  OnDeath on_death = OnDeath::end_job;
  std::int32_t launcher_pid = 0;  // the process that keeps all files open, for `armature inspect`
  std::uint32_t simulated_deaths = 0, simulated_leaves = 0, simulated_joins = 0;
  std::optional<std::uint64_t> simulation_seed;  // see ControlHeader::is_one_process
  std::vector<std::uint32_t> nodes = {};         // the first rank of each; empty: one node
  std::vector<std::int32_t> node_of_rank = {};   // instead, where ranks do not lie in a row
  std::int32_t node = 0;                         // of which this is the memory
};

/// The first virtual rank of a process, where each hosts as many as the others or one more.
inline std::uint32_t first_rank_of(std::uint32_t process, std::uint32_t processes,
                                   std::uint32_t ranks) {
  return static_cast<std::uint32_t>((std::uint64_t{process} * ranks + processes - 1) / processes);
}

/// The memory files of a job on one node: the control block and a segment per rank. Of ranks on
/// other nodes only the head is used: what ranks of this node write there for them. Created by the
/// launcher (or by a program that runs alone), inherited by every rank. They have no names: they
/// are gone when the last process that holds them is.
struct JobMemory {
  base::FileDescriptor control;
  /// In the order of ranks, as many in each file as the layout says; of virtual ranks, one file
  /// with all of them, behind which there are two for copies of it where the job keeps some.
  std::vector<base::FileDescriptor> segments;

  /// Throws Error(start) that names what is missing and the remedy.
  static JobMemory create(const JobOptions& options);
};

/// The number of JobMemory::segments.
inline std::size_t segment_files(const ControlHeader& header) {
  return header.layout.files(header.ranks) + (header.settings.keeps_copies != 0 ? 2 : 0);
}

/// Name of the control block's memory file, as /proc/PID/fd shows it: "/memfd:armature-control".
inline constexpr const char* control_name = "armature-control";
inline constexpr const char* segment_name = "armature-segment";
inline constexpr const char* copy_name = "armature-copy";

/// Reads the header of a control block. False when the file is no control block.
bool read_header(int fd, ControlHeader& header);
/// Maps a control block after checking magic, version and size. Throws Error(start).
Control map_control(int fd, bool writable = true);
/// Moves the mapping of the control block below the first segment, where it has the same address in
/// every process. Returns `control` as it was when something else lies there.
Control map_below_segments(const Control& control, int fd);

}  // namespace armature::space

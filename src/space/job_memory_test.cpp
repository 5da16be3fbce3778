#include "space/job_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "space/layout.hpp"
#include "space/mapping.hpp"

namespace armature::space {
namespace {

Errc code_of(const JobOptions& options) {
  try {
    (void)JobMemory::create(options);
  } catch (const Error& e) {
    return e.code();
  }
  ADD_FAILURE() << "no error";
  return Errc::misuse;
}

TEST(JobMemory, a_control_block_describes_its_job) {
  const JobMemory memory =
      JobMemory::create({.ranks = 3, .segment_bytes = 1 << 30, .cores = 2, .check_full = true});
  ASSERT_EQ(memory.segments.size(), 3u);
  const Control control = map_control(memory.control.get(), false);
  EXPECT_EQ(control.header().ranks, 3u);
  EXPECT_EQ(control.header().layout.segment_bytes, 1u << 30);
  EXPECT_EQ(control.header().settings.cores, 2u);
  EXPECT_EQ(control.header().settings.check_full, 1u);
  EXPECT_EQ(control.slot(2).life.load(), Life::starting);
  munmap(control.start, Control::bytes(control.header()));
}

TEST(JobMemory, processes_host_ranks_in_a_row_the_last_one_what_is_left) {
  const JobMemory memory =
      JobMemory::create({.ranks = 5, .ranks_per_process = 2, .segment_bytes = 1 << 30});
  const Control control = map_control(memory.control.get(), false);
  EXPECT_EQ(control.header().processes, 3u);
  const int expected[5][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}};
  for (int r = 0; r < 5; ++r) {
    EXPECT_EQ(control.slot(r).process.load(), expected[r][0]);
    EXPECT_EQ(control.slot(r).index, expected[r][1]);
  }
  munmap(control.start, Control::bytes(control.header()));
}

TEST(JobMemory, processes_of_virtual_ranks_may_host_some_more_than_others) {
  const JobMemory memory = JobMemory::create({.ranks = 5,
                                              .virtual_processes = 3,
                                              .first_ranks = {0, 1, 4},
                                              .segment_bytes = 1 << 30,
                                              .nodes = {0, 4}});
  const Control control = map_control(memory.control.get(), false);
  const int expected[5][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 2, 0}, {2, 0, 1}};
  for (int r = 0; r < 5; ++r) {
    EXPECT_EQ(control.slot(r).process.load(), expected[r][0]);
    EXPECT_EQ(control.slot(r).index, expected[r][1]);
    EXPECT_EQ(control.slot(r).node, expected[r][2]);
  }
  EXPECT_EQ(control.header().here.processes, 2u);
  munmap(control.start, Control::bytes(control.header()));
}

/// The areas of this process's memory that begin in there.
std::size_t areas_in(std::uintptr_t begin, std::uintptr_t end) {
  std::ifstream maps("/proc/self/maps");
  std::size_t found = 0;
  for (std::string line; std::getline(maps, line);) {
    const std::uintptr_t at = std::stoull(line, nullptr, 16);
    if (begin <= at && at < end) ++found;
  }
  return found;
}

TEST(JobMemory, ranks_share_memory_files_where_they_are_many) {
  constexpr std::uint64_t base = default_base + default_room / 2;
  EXPECT_EQ(JobMemory::create({.ranks = 64, .segment_bytes = 1 << 30}).segments.size(), 64u);
  const JobMemory memory =
      JobMemory::create({.ranks = 200, .segment_base = base, .segment_bytes = 1 << 30});
  ASSERT_EQ(memory.segments.size(), 50u) << "with four ranks each, as 64 are too few for three";
  std::vector<int> files;
  for (const auto& segment : memory.segments) files.push_back(segment.get());
  const TemporaryMapping joined(map_control(memory.control.get()), files);
  const Mapping& mapping = joined.mapping();
  const auto begin = reinterpret_cast<std::uintptr_t>(mapping.segment(0));
  EXPECT_EQ(areas_in(begin, begin + 200 * mapping.segment_bytes()), 50u);
  for (const int rank : {0, 1, 4, 198, 199}) {
    mapping.head(rank).looks = static_cast<std::uint32_t>(rank) + 1;
    const auto [file, offset] =
        mapping.header().layout.file_place(static_cast<std::uint32_t>(rank));
    std::uint32_t there = 0;
    const auto at = offset + (reinterpret_cast<std::uintptr_t>(&mapping.head(rank).looks) -
                              reinterpret_cast<std::uintptr_t>(mapping.segment(rank)));
    EXPECT_EQ(pread(files[file], &there, sizeof there, static_cast<off_t>(at)),
              static_cast<ssize_t>(sizeof there));
    EXPECT_EQ(there, static_cast<std::uint32_t>(rank) + 1);
  }
}

TEST(JobMemory, what_cannot_be_mapped_for_a_while_leaves_nothing_behind) {
  constexpr std::uint64_t base = default_base + default_room / 2;
  const JobMemory memory =
      JobMemory::create({.ranks = 3, .segment_base = base, .segment_bytes = 1 << 30});
  const Mapping* const before = Mapping::of_process();
  const Control control = map_control(memory.control.get());
  const auto control_begin = reinterpret_cast<std::uintptr_t>(control.start);
  const std::size_t control_bytes = Control::bytes(control.header());
  EXPECT_THROW(TemporaryMapping(control, {memory.segments[0].get(), memory.segments[1].get(), -1}),
               Error);
  EXPECT_EQ(Mapping::of_process(), before);
  EXPECT_EQ(areas_in(base, base + 3 * (std::uint64_t{1} << 30)), 0u);
  EXPECT_EQ(areas_in(control_begin, control_begin + control_bytes), 0u);
}

TEST(JobMemory, what_was_mapped_for_a_while_is_gone) {
  constexpr std::uint64_t base = default_base + default_room / 2;
  const JobMemory memory = JobMemory::create(
      {.ranks = 2, .virtual_processes = 1, .segment_base = base, .segment_bytes = 1 << 30});
  {
    const TemporaryMapping joined(map_control(memory.control.get()), {memory.segments[0].get()});
    EXPECT_NE(areas_in(base, base + 3 * (std::uint64_t{1} << 30)), 0u);
  }
  EXPECT_EQ(areas_in(base, base + 3 * (std::uint64_t{1} << 30)), 0u) << "nor the world behind";
}

TEST(JobMemory, impossible_layouts_are_refused) {
  EXPECT_EQ(code_of({.ranks = 0}), Errc::start);
  EXPECT_EQ(code_of({.ranks = ranks_max + 1}), Errc::start);
  EXPECT_EQ(code_of({.ranks = 1, .segment_bytes = (1 << 30) + 4096}), Errc::start);
  EXPECT_EQ(code_of({.ranks = 1, .segment_bytes = 4096}), Errc::start);
  EXPECT_EQ(code_of({.ranks = 1, .segment_base = 12345}), Errc::start);
  EXPECT_EQ(code_of({.ranks = 1000, .segment_bytes = std::uint64_t{1} << 40}), Errc::start);
}

TEST(JobMemory, a_file_of_something_else_is_no_control_block) {
  const int fd = memfd_create("other", 0);
  ASSERT_EQ(ftruncate(fd, 1 << 20), 0);
  EXPECT_THROW((void)map_control(fd), Error);
  ::close(fd);
  EXPECT_THROW((void)map_control(-1), Error);
}

TEST(Layout, segments_shrink_as_ranks_grow) {
  EXPECT_EQ(default_segment_bytes(1), segment_bytes_max);
  EXPECT_LE(default_segment_bytes(ranks_max) * ranks_max, default_room);
}

}  // namespace
}  // namespace armature::space

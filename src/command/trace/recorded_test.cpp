#include "command/trace/recorded.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

#include "base/file_descriptor.hpp"

namespace armature::command {
namespace {

constexpr const wait::TraceFile& kind = wait::kept_trace;
constexpr int processes = 40;
constexpr std::uint64_t events_each = 1000;

/// Processes write one after the other, again and again: event number i of process p is at
/// i * processes + p.
base::FileDescriptor written_by_all() {
  base::FileDescriptor file(memfd_create("trace", MFD_CLOEXEC));
  EXPECT_EQ(ftruncate(file.get(), static_cast<off_t>(kind.offset_of(processes))), 0);
  for (int process = 0; process < processes; ++process) {
    void* const at = mmap(nullptr, kind.part_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(),
                          static_cast<off_t>(kind.offset_of(process)));
    EXPECT_NE(at, MAP_FAILED);
    auto* const part = static_cast<wait::TracePart*>(at);
    for (std::uint64_t i = 0; i < events_each; ++i)
      part->event(i, kind.events_max()) = {
          .kind = wait::TraceEvent::Kind::sent,
          .rank = process,
          .begin_ns = i * processes + static_cast<std::uint64_t>(process)};
    part->written = events_each;
    munmap(at, kind.part_bytes);
  }
  return file;
}

Recorded read(const base::FileDescriptor& file, std::size_t events_max) {
  space::ControlHeader job;
  job.ranks = job.processes = processes;
  return read_events(file.get(), kind, job, events_max);
}

TEST(RecordedTest, all_events_of_all_processes_are_read) {
  const base::FileDescriptor file = written_by_all();
  const Recorded recorded = read(file, SIZE_MAX);
  EXPECT_EQ(recorded.events.size(), processes * events_each);
  EXPECT_EQ(recorded.lost, 0u);
}

TEST(RecordedTest, where_the_last_are_wanted_memory_does_not_grow_with_the_processes) {
  constexpr std::size_t wanted = 100;
  const base::FileDescriptor file = written_by_all();
  const Recorded recorded = read(file, wanted);
  EXPECT_EQ(recorded.events.size(), wanted);
  EXPECT_EQ(recorded.lost, processes * events_each - wanted);
  EXPECT_TRUE(std::ranges::all_of(recorded.events, [](const TracedEvent& event) {
    return event.begin_ns >= processes * events_each - wanted;
  }));
  // Room for what is wanted and one process's events, as vectors grow.
  EXPECT_LE(recorded.events.capacity(), 2 * (2 * wanted + events_each));
}

}  // namespace
}  // namespace armature::command

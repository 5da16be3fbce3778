#include "virtual/checkpoint/load.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "virtual/checkpoint/builds.hpp"
#include "virtual/checkpoint/part.hpp"
#include "virtual/checkpoint/rank_record.hpp"

namespace armature::checkpoints {
namespace {

using Take = std::function<void(const Run& run, const std::byte* memory)>;

void read_part(const std::string& folder, const Manifest::Part& part, const Take& take) {
  PartReader reader(folder, part);
  while (reader.next()) {
    const std::byte* memory = reader.memory();
    for (const Run& run : reader.runs()) {
      take(run, memory);
      memory += run.bytes;
    }
  }
}

/// The first thing that went wrong in any of several threads.
class FirstError {
 public:
  template <class F>
  void guard(F&& f) {
    try {
      f();
    } catch (...) {
      const std::lock_guard one_at_a_time(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
};

/// The parts with bands, each by a thread.
void read_link(const Link& found, const Take& take) {
  FirstError first;
  std::vector<std::thread> threads;
  for (const Manifest::Part& part : found.manifest.parts)
    if (part.name != RankRecord::part)
      threads.emplace_back([&] { first.guard([&] { read_part(found.folder, part, take); }); });
  for (std::thread& thread : threads) thread.join();
  first.rethrow();
}

/// The oldest first: what changed comes over what was.
void read_bands(const Found& found, const Take& take) {
  for (const Link& link : found.before) read_link(link, take);
  read_link(found, take);
}

std::vector<RankRecord> read_records(const Link& found) {
  std::vector<RankRecord> records(found.manifest.ranks);
  const std::size_t all = records.size() * sizeof(RankRecord);
  std::size_t got = 0;
  for (const Manifest::Part& part : found.manifest.parts) {
    if (part.name != RankRecord::part) continue;
    read_part(found.folder, part, [&](const Run& run, const std::byte* memory) {
      if (run.offset > all || run.bytes > all - run.offset)
        base::fail(Errc::corrupt, "the checkpoint tells of more ranks than it has");
      std::memcpy(reinterpret_cast<std::byte*>(records.data()) + run.offset, memory, run.bytes);
      got += run.bytes;
    });
  }
  if (got != all) base::fail(Errc::corrupt, "the checkpoint does not tell of all its ranks");
  return records;
}

void write_at(int file, const Run& run, const std::byte* memory) {
  for (std::uint64_t done = 0; done < run.bytes;) {
    const ssize_t n =
        pwrite(file, memory + done, run.bytes - done, static_cast<off_t>(run.offset + done));
    if (n <= 0)
      base::fail(Errc::out_of_memory, fmt::format("the ranks' memory cannot be filled: {}",
                                                  base::system_text(n < 0 ? errno : ENOSPC)));
    done += static_cast<std::uint64_t>(n);
  }
}

}  // namespace

void load(const Found& found, const space::JobMemory& memory, const space::Control& control) {
  const Manifest& manifest = found.manifest;
  space::ControlHeader& job = control.header();
  ARMATURE_ASSERT(job.ranks == manifest.ranks && job.band_base == manifest.band_base &&
                  job.band_bytes == manifest.band_bytes && job.stack_bytes == manifest.stack_bytes);
  BuildId builds[2];
  if (!parse(manifest.program_build, builds[0]) || !parse(manifest.library_build, builds[1]))
    base::fail(Errc::corrupt, fmt::format("{}/manifest: a build id is none", found.folder));
  const int file = memory.bands.front().get();
  struct stat status {};
  if (fstat(file, &status) != 0) base::fail(Errc::start, base::system_text(errno));
  const auto all = static_cast<std::uint64_t>(status.st_size);
  read_bands(found, [&](const Run& run, const std::byte* bytes) {
    if (run.offset > all || run.bytes > all - run.offset)
      base::fail(Errc::corrupt, "the checkpoint has pages that lie in no band");
    write_at(file, run, bytes);
  });
  const std::vector<RankRecord> records = read_records(found);
  for (int rank = 0; rank < static_cast<int>(records.size()); ++rank)
    records[static_cast<std::size_t>(rank)].give(control, rank);
  job.through.store(manifest.through, std::memory_order_relaxed);
  job.addresses.store(manifest.addresses, std::memory_order_relaxed);
  job.halt.wanted.store(manifest.number, std::memory_order_relaxed);
  job.halt.over.store(manifest.number, std::memory_order_relaxed);
  job.halt.restarts = manifest.restarts + 1;
  for (int i = 0; i < 2; ++i) std::copy(builds[i].begin(), builds[i].end(), job.halt.build[i]);
}

void verify(const Found& found) {
  read_bands(found, [](const Run&, const std::byte*) {});
  (void)read_records(found);
}

}  // namespace armature::checkpoints

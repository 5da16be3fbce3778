#include "checkpoint/load.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "balance/in_rows.hpp"
#include "base/fail.hpp"
#include "checkpoint/part.hpp"
#include "checkpoint/segment_filler.hpp"
#include "fibers/rank_record.hpp"
#include "migration/builds.hpp"

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
      has_any_ = true;
    }
  }
  [[nodiscard]] bool is_there() const { return has_any_; }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
  std::atomic<bool> has_any_{false};
};

/// Does `work` in so many threads, this one among them; in fewer where no more are to be had.
template <class Work>
void do_in_threads(std::size_t threads, const Work& work) {
  std::vector<std::jthread> others;
  others.reserve(threads);
  try {
    while (others.size() + 1 < threads) others.emplace_back(work);
  } catch (const std::system_error&) {
    // the limit of processes, or no room for a stack
  }
  work();
}

/// The parts with segments, several at once: there are as many as the job had processes.
void read_link(const Link& found, const Take& take) {
  std::vector<const Manifest::Part*> parts;
  for (const Manifest::Part& part : found.manifest.parts)
    if (!fibers::RankRecord::is_part(part.name)) parts.push_back(&part);
  FirstError first;
  std::atomic<std::size_t> next{0};
  const std::size_t threads_max = std::max(2u, std::thread::hardware_concurrency());
  do_in_threads(std::min(parts.size(), threads_max), [&] {
    for (std::size_t i = next++; i < parts.size() && !first.is_there(); i = next++)
      first.guard([&] { read_part(found.folder, *parts[i], take); });
  });
  first.rethrow();
}

/// The oldest first: what changed comes over what was.
void read_segments(const Found& found, const Take& take) {
  for (const Link& link : found.before) read_link(link, take);
  read_link(found, take);
}

std::vector<fibers::RankRecord> read_records(const Link& found) {
  const std::uint64_t all = found.manifest.ranks * std::uint64_t{sizeof(fibers::RankRecord)};
  std::uint64_t told = 0;
  for (const Manifest::Part& part : found.manifest.parts)
    if (fibers::RankRecord::is_part(part.name)) told += part.memory_bytes;
  // Checked before there is room for so many.
  if (told != all)
    base::fail(Errc::corrupt,
               fmt::format("{}/manifest tells of {} ranks, its parts of {}", found.folder,
                           found.manifest.ranks, told / sizeof(fibers::RankRecord)));
  std::vector<fibers::RankRecord> records(found.manifest.ranks);
  std::size_t got = 0;
  for (const Manifest::Part& part : found.manifest.parts) {
    if (!fibers::RankRecord::is_part(part.name)) continue;
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

/// Brings pages to the nodes where they belong. Those of a rank's segment go to the rank's node.
/// All nodes get the segment's head, which has what other nodes count for the rank, and what lies
/// behind the segments.
class NodeFiller {
 public:
  explicit NodeFiller(std::span<const space::JobMemory> memory)
      : control_(space::map_control(memory.front().control.get(), false)),
        segment_bytes_(control_.header().layout.segment_bytes),
        head_bytes_(space::SegmentHead::calls_offset(control_.header().ranks)) {
    for (const space::JobMemory& one : memory) {
      const int number = space::map_control(one.control.get(), false).header().node;
      nodes_.push_back({number, std::make_unique<SegmentFiller>(one.segments.front().get())});
    }
  }

  void put(const Run& run, const std::byte* memory) {
    if (control_.header().nodes == 1) return nodes_.front().filler->put(run, memory);
    for (std::uint64_t done = 0; done < run.bytes;) {
      const std::uint64_t at = run.offset + done, segment = at / segment_bytes_;
      const bool is_of_all =
          segment >= control_.header().ranks || at - segment * segment_bytes_ < head_bytes_;
      const std::uint64_t end =
          is_of_all ? at / page_bytes * page_bytes + page_bytes : (segment + 1) * segment_bytes_;
      const Run part{at, std::min(run.bytes - done, end - at)};
      for (const Node& node : nodes_)
        if (is_of_all || control_.slot(static_cast<int>(segment)).node == node.number)
          node.filler->put(part, memory + done);
      done += part.bytes;
    }
  }

 private:
  struct Node {
    int number;
    std::unique_ptr<SegmentFiller> filler;
  };

  const space::Control control_;
  const std::uint64_t segment_bytes_, head_bytes_;
  std::vector<Node> nodes_;
};

}  // namespace

void prepare(const Found& found, const space::Control& control) {
  const Manifest& manifest = found.manifest;
  space::ControlHeader& job = control.header();
  ARMATURE_ASSERT(job.ranks == manifest.ranks &&
                  job.layout.segment_base == manifest.layout.segment_base &&
                  job.layout.segment_bytes == manifest.layout.segment_bytes &&
                  job.layout.stack_bytes == manifest.layout.stack_bytes);
  migration::BuildId builds[2];
  if (!migration::parse(manifest.builds.program, builds[0]) ||
      !migration::parse(manifest.builds.library, builds[1]))
    base::fail(Errc::corrupt, fmt::format("{}/manifest: a build id is none", found.folder));
  const std::vector<fibers::RankRecord> records = read_records(found);
  for (int rank = 0; rank < static_cast<int>(records.size()); ++rank)
    records[static_cast<std::size_t>(rank)].give(control, rank);
  for (int rank = 0; rank < static_cast<int>(job.ranks); ++rank)
    if (control.slot(rank).node != job.node) control.segments()[rank] = {};  // out of reach
  job.here.finished.store(manifest.through, std::memory_order_relaxed);
  job.alike.addresses.store(manifest.addresses, std::memory_order_relaxed);
  job.quiesce.wanted.store(manifest.number, std::memory_order_relaxed);
  job.quiesce.over.store(manifest.number, std::memory_order_relaxed);
  job.quiesce.restarts = manifest.restarts + 1;
  for (int i = 0; i < 2; ++i) std::copy(builds[i].begin(), builds[i].end(), job.quiesce.build[i]);
}

void fill(const Found& found, std::span<const space::JobMemory> memory, const std::stop_token& stop,
          const std::function<void()>& when_whole) {
  NodeFiller nodes(memory);
  read_segments(found, [&](const Run& run, const std::byte* bytes) {
    if (stop.stop_requested()) base::fail(Errc::start, "the job is ended while it is restarted");
    nodes.put(run, bytes);
  });
  when_whole();  // leaving the files takes a while, too
}

std::vector<std::uint32_t> first_ranks(const Found& found, std::uint32_t processes) {
  if (processes == 0 || processes > found.manifest.ranks) return {};
  std::vector<double> loads;
  bool is_measured = false;
  for (const fibers::RankRecord& rank : read_records(found)) {
    const bool has_finished = rank.life >= static_cast<std::uint32_t>(space::Life::leaving);
    loads.push_back(has_finished ? 0 : fibers::load_of(rank.busy_ns));
    is_measured = is_measured || rank.busy_ns != 0;
  }
  if (!is_measured) return {};
  return balance::first_in_rows(loads, static_cast<int>(processes));
}

void verify(const Found& found) {
  read_segments(found, [](const Run&, const std::byte*) {});
  (void)read_records(found);
}

}  // namespace armature::checkpoints

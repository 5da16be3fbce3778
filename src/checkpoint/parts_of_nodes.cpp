#include "checkpoint/parts_of_nodes.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "armature/error.hpp"
#include "base/fail.hpp"
#include "checkpoint/describe.hpp"
#include "checkpoint/folder.hpp"
#include "checkpoint/left_out_note.hpp"
#include "checkpoint/pages.hpp"
#include "checkpoint/part.hpp"
#include "fibers/rank_record.hpp"
#include "space/node_memory.hpp"

namespace armature::checkpoints {
namespace {

std::string records_part(int process) {
  return fmt::format("{}-{}", fibers::RankRecord::part, process);
}

template <class F>
void for_ranks_of(const space::Mapping& mapping, int process, F&& f) {
  for (int rank = 0; rank < mapping.ranks(); ++rank)
    if (mapping.slot(rank).process.load(std::memory_order_relaxed) == process) f(rank);
}

/// Begins the sums of what is written from now on. nullptr: none is kept.
PageSums* begin_sums(const space::QuiesceState& quiesce, Kept& kept) {
  kept.ranks.clear();
  kept.id = 0;
  if (quiesce.incremental.is_wanted.load(std::memory_order_relaxed) == 0) return nullptr;
  kept.sums.begin(quiesce.incremental.since.load(std::memory_order_relaxed) == 0);
  return &kept.sums;
}

/// The one that ranks have agreed to go on from: somebody else may have put his there since.
Manifest::Before find_before(const std::string& directory, std::uint64_t id) {
  const Found last = find_latest(directory);
  if (last.manifest.id != id)
    base::fail(
        Errc::corrupt,
        fmt::format("{} has been replaced by another job's, from which this one cannot go on",
                    last.folder));
  return before_next(last);
}

/// Called by a process whose ranks are quiescent: until then they may move inside their node.
bool hosts_the_same(const space::Mapping& mapping, int process, const Kept& kept) {
  std::vector<int> ranks;
  for_ranks_of(mapping, process, [&](int rank) { ranks.push_back(rank); });
  return ranks == kept.ranks;
}

/// Ranks could still move inside their nodes when they agreed to write only what has changed: the
/// checksums of their pages have stayed where they were.
void agree_on_what_has_changed(const space::Mapping& mapping, int process,
                               const quiesce::PhaseBarrier& barrier, const Kept& kept) {
  constexpr std::uint32_t agreed = 4;
  if (mapping.header().quiesce.incremental.since.load(std::memory_order_acquire) != 0 &&
      !hosts_the_same(mapping, process, kept))
    barrier.tell_whole();
  barrier.reach(agreed);
  barrier.all_reach(agreed);
}

void write_parts(const space::Mapping& mapping, int process, int segment_file, Kept& kept) {
  const space::ControlHeader& job = mapping.header();
  PageSums* const sums = begin_sums(job.quiesce, kept);
  const std::string folder = own_folder(job.quiesce);
  PartWriter part(folder, ranks_part(process));
  PartWriter records(folder, records_part(process));
  LeftOut all_left_out;
  for_ranks_of(mapping, process, [&](int rank) {
    const auto number = static_cast<std::uint64_t>(rank);
    space::NodeMemory(mapping).empty_kept(rank);  // what it has freed is not written
    LeftOut left_out;
    left_out.add(mapping, rank);
    all_left_out.add(mapping, rank);
    write_pages(segment_file, number * job.layout.segment_bytes,
                (number + 1) * job.layout.segment_bytes, part, sums, left_out);
    kept.ranks.push_back(rank);
    const fibers::RankRecord record = fibers::RankRecord::of(mapping, rank);
    records.add(number * sizeof record, &record, sizeof record);
  });
  // The memory that the team of all shares is the same on each node that has ranks.
  if (mapping.slot(0).process.load(std::memory_order_relaxed) == process)
    write_pages(segment_file, job.ranks * job.layout.segment_bytes, UINT64_MAX / 2, part, sums);
  (void)part.finish();
  (void)records.finish();
  note_left_out(folder, process, all_left_out);
  if (sums == nullptr) return;
  kept.id = job.quiesce.folder.id;
  kept.sums_of = job.quiesce.wanted.load(std::memory_order_relaxed);
}

void complete_parts(const space::Mapping& mapping) {
  const space::ControlHeader& job = mapping.header();
  const std::string folder = own_folder(job.quiesce);
  Manifest manifest =
      describe(job, job.quiesce.wanted.load(std::memory_order_relaxed), job.processes);
  if (job.quiesce.incremental.since.load(std::memory_order_relaxed) != 0)
    manifest.before = find_before(std::filesystem::path(folder).parent_path().string(),
                                  job.quiesce.folder.goes_on_from);
  for (int process = 0; process < static_cast<int>(job.processes); ++process) {
    // A process that was of the job when all stood still has written its ranks, even if it has been
    // killed since.
    if (!mapping.process_slot(process).belongs(
            job.quiesce.epoch.entered.load(std::memory_order_acquire)))
      continue;
    for (const std::string& name : {records_part(process), ranks_part(process)})
      manifest.parts.push_back(find_part(folder, name));
  }
  manifest.left_out = take_left_out(folder);
  complete(folder, manifest);
}

}  // namespace

quiesce::Client parts_client(const space::Mapping& mapping, int process, int segment_file,
                             Kept& kept) {
  const space::QuiesceState& quiesce = mapping.header().quiesce;
  const auto write = [&mapping, &quiesce, &kept, process,
                      segment_file](const quiesce::PhaseBarrier& barrier) {
    if (barrier.leads_all()) lock_folder(own_folder(quiesce), quiesce.folder.first_id);
    agree_on_what_has_changed(mapping, process, barrier, kept);
    if (quiesce.broken.load(std::memory_order_acquire) == 0)
      write_parts(mapping, process, segment_file, kept);
  };
  return {.when_quiet = {},
          .prepare = {},
          .by_each = write,
          .complete = [&mapping] { complete_parts(mapping); },
          .undo = [&quiesce] { abandon(own_folder(quiesce)); },
          .at_end = {}};
}

std::uint64_t kept_of(const Kept& kept, const space::QuiesceState& quiesce, int rank) {
  const bool is_there = std::ranges::find(kept.ranks, rank) != kept.ranks.end();
  const bool is_whole =
      kept.id != 0 && quiesce.failed.load(std::memory_order_relaxed) != kept.sums_of;
  return is_there && is_whole ? kept.id : 0;
}

std::uint32_t goes_on_from(const std::string& directory, std::uint64_t kept) {
  if (kept == 0) return 0;
  try {
    const Found last = find_latest(directory);
    return last.manifest.id == kept && can_go_on(last) ? last.manifest.number : 0;
  } catch (const Error&) {
    return 0;
  }
}

}  // namespace armature::checkpoints

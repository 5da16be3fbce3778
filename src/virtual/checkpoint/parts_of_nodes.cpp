#include "virtual/checkpoint/parts_of_nodes.hpp"

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "progress/processes.hpp"
#include "virtual/checkpoint/describe.hpp"
#include "virtual/checkpoint/folder.hpp"
#include "virtual/checkpoint/pages.hpp"
#include "virtual/checkpoint/part.hpp"
#include "virtual/rank_record.hpp"

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

}  // namespace

void write_parts(const space::Mapping& mapping, int process, int band_file, int holder) {
  if (holder >= 0) refuse_holder(holder);
  const space::ControlHeader& job = mapping.header();
  PartWriter part(job.halt.folder, ranks_part(process));
  PartWriter records(job.halt.folder, records_part(process));
  for_ranks_of(mapping, process, [&](int rank) {
    const auto number = static_cast<std::uint64_t>(rank);
    write_pages(band_file, number * job.band_bytes, (number + 1) * job.band_bytes, part);
    const fibers::RankRecord record = fibers::RankRecord::of(mapping, rank);
    records.add(number * sizeof record, &record, sizeof record);
  });
  // What the team of all shares is the same on each node that has ranks.
  if (mapping.slot(0).process.load(std::memory_order_relaxed) == process)
    write_pages(band_file, job.ranks * job.band_bytes, UINT64_MAX / 2, part);
  (void)part.finish();
  (void)records.finish();
}

void complete_parts(const space::Mapping& mapping) {
  const space::ControlHeader& job = mapping.header();
  const std::string folder = job.halt.folder;
  Manifest manifest = describe(job, job.halt.wanted.load(std::memory_order_relaxed), job.processes);
  for (int process = 0; process < static_cast<int>(job.processes); ++process) {
    if (progress::is_lost(mapping.process_slot(process))) continue;
    for (const std::string& name : {records_part(process), ranks_part(process)})
      manifest.parts.push_back(find_part(folder, name));
  }
  complete(folder, manifest);
}

void abandon_parts(const space::Mapping& mapping) { abandon(mapping.header().halt.folder); }

}  // namespace armature::checkpoints

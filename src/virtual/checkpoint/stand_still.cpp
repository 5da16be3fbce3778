// All ranks stand where they wait: their stacks, heaps and records, and what is on its way between
// them, lie in the bands. So the memory file is all that a checkpoint needs, whatever ranks were
// about to do; only nobody may run while it is written. Each process writes the bands of as many
// ranks as the others, whoever hosts them.
#include "virtual/checkpoint/stand_still.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/message.hpp"
#include "virtual/checkpoint/copy.hpp"
#include "virtual/checkpoint/describe.hpp"
#include "virtual/checkpoint/folder.hpp"
#include "virtual/checkpoint/pages.hpp"
#include "virtual/rank_record.hpp"

namespace armature::checkpoints {
StandStill::StandStill(const space::Mapping& mapping, int process, int band_file, Kept& kept)
    : mapping_(mapping),
      job_(mapping.header()),
      halt_(job_.halt),
      process_(process),
      band_file_(band_file),
      kept_(kept),
      regroup_(halt_.regrouped.load(std::memory_order_acquire)),
      number_(halt_.wanted.load(std::memory_order_acquire)),
      meeting_(mapping, process, regroup_, number_) {}

void StandStill::run(const std::string& refusal) {
  // What ranks have freed is not written. Where another process has begun to, it writes less.
  for (int rank = 0; rank < mapping_.ranks(); ++rank)
    if (mapping_.is_here(rank) &&
        mapping_.slot(rank).process.load(std::memory_order_relaxed) == process_)
      mapping_.empty_kept(rank);
  if (!meeting_.is_member())  // it has joined, but hosts nobody before the next regrouping
    wait_until_over();
  else if (halt_.where.load(std::memory_order_relaxed) == space::KeptIn::memory)
    fill_copy(refusal);
  else
    meeting_.leads() ? lead(refusal) : follow(refusal);
}

bool StandStill::is_incremental() const {
  return halt_.is_incremental.load(std::memory_order_relaxed) != 0;
}

/// The first to fail says why.
void StandStill::give_up(std::string_view why) {
  if (halt_.broken.fetch_add(1, std::memory_order_acq_rel) == 0)
    base::copy_text(halt_.problem, base::without_start(why));
}

/// Before the leader makes a folder.
void StandStill::refuse(std::string_view why) {
  if (halt_.refused.exchange(number_, std::memory_order_acq_rel) != number_)
    base::copy_text(halt_.problem, base::without_start(why));
}

void StandStill::write_share(PartWriter& part) {
  // Behind the last band lies what all ranks share.
  const fibers::Meeting::Share share = meeting_.share(UINT64_MAX / 2);
  if (!is_incremental()) return write_pages(band_file_, share.begin, share.end, part);
  const std::uint32_t since = halt_.changed_since.load(std::memory_order_relaxed);
  // The same processes have written that one, each the same share.
  ARMATURE_ASSERT(since == 0 || since == kept_.sums_of);
  kept_.sums.begin(since == 0);
  kept_.sums_of = number_;
  write_pages(band_file_, share.begin, share.end, part, &kept_.sums);
}

void StandStill::write_part() {
  if (halt_.broken.load(std::memory_order_acquire) != 0) return;
  try {
    PartWriter part(own_folder(halt_), ranks_part(process_));
    write_share(part);
    (void)part.finish();
  } catch (const std::exception& error) {
    give_up(error.what());
  }
}

void StandStill::follow(const std::string& refusal) {
  if (!refusal.empty()) refuse(refusal);
  meeting_.reach(1);
  // The leader is so far when there is a folder to write into.
  if (!meeting_.leader_reaches(1)) return;
  write_part();
  meeting_.reach(2);
  wait_until_over();
}

void StandStill::wait_until_over() const {
  (void)meeting_.wait([&] { return halt_.over.load(std::memory_order_acquire) == number_; });
}

/// By the leader. Empty when there is none.
std::string StandStill::open_folder() {
  std::uint32_t since = 0;
  std::string folder;
  try {
    const std::string directory = halt_.directory;
    if (is_incremental()) since = kept_.chain.goes_on_from(directory, regroup_);
    folder = make_folder(directory);
    halt_.folder_number = number_of_folder(folder);
    halt_.begin(new_id());
    claim_folder(folder, halt_.first_id);
  } catch (const std::exception& error) {
    give_up(error.what());
  }
  halt_.changed_since.store(since, std::memory_order_relaxed);
  return folder;
}

void StandStill::lead(const std::string& refusal) {
  if (!meeting_.others_reach(1)) return;
  if (!refusal.empty()) refuse(refusal);
  const bool is_refused = halt_.refused.load(std::memory_order_acquire) == number_;
  // It may have been begun before, and been given up half written when all regrouped.
  halt_.broken.store(is_refused ? 1 : 0, std::memory_order_relaxed);
  const std::string folder = is_refused ? std::string() : open_folder();
  meeting_.reach(1);
  write_part();
  if (!meeting_.others_reach(2)) {
    if (!folder.empty()) abandon(folder);
    return;
  }
  if (halt_.broken.load(std::memory_order_acquire) == 0) {
    try {
      write_manifest();
    } catch (const std::exception& error) {
      give_up(error.what());
    }
  }
  const bool failed = halt_.broken.load(std::memory_order_acquire) != 0;
  if (failed) kept_.chain.forget();
  if (failed && !folder.empty()) abandon(folder);
  job_.checkpoints.last_ns.store(base::now_ns(), std::memory_order_release);
  close(failed);
}

/// By the leader.
void StandStill::close(bool failed) {
  if (failed) halt_.failed.store(number_, std::memory_order_relaxed);
  halt_.broken.store(0, std::memory_order_relaxed);
  halt_.over.store(number_, std::memory_order_release);
  halt_.asked.store(space::Asked::nothing, std::memory_order_release);
}

/// The copy that is not the last one is written; it becomes that when it is whole.
void StandStill::fill_copy(const std::string& refusal) {
  meeting_.reach(1);
  if (!meeting_.all_reach(1)) return;
  const std::uint32_t copy = halt_.copy.load(std::memory_order_acquire) == 1 ? 2 : 1;
  const Copy to(mapping_, band_file_, copy);
  try {
    if (!refusal.empty()) base::fail(Errc::misuse, refusal);
    to.fill(meeting_);
    if (meeting_.leads()) to.write_records();
  } catch (const std::exception& error) {
    give_up(error.what());
  }
  meeting_.reach(2);
  if (!meeting_.leads()) return wait_until_over();
  if (!meeting_.all_reach(2)) return;
  const bool failed = halt_.broken.load(std::memory_order_acquire) != 0;
  if (!failed) {
    job_.copies.last_ns.store(base::now_ns(), std::memory_order_relaxed);
    halt_.copy.store(copy, std::memory_order_release);
  }
  close(failed);
}

void StandStill::write_manifest() {
  const std::string folder = own_folder(halt_);
  Manifest manifest =
      describe(job_, number_, static_cast<std::uint32_t>(meeting_.members().size()));
  if (halt_.changed_since.load(std::memory_order_relaxed) != 0)
    manifest.before = kept_.chain.last();

  PartWriter control(folder, fibers::RankRecord::part);
  for (int rank = 0; rank < mapping_.ranks(); ++rank) {
    const fibers::RankRecord record = fibers::RankRecord::of(mapping_, rank);
    control.add(static_cast<std::uint64_t>(rank) * sizeof record, &record, sizeof record);
  }
  manifest.parts.push_back(control.finish());
  for (const int process : meeting_.members())
    manifest.parts.push_back(find_part(folder, ranks_part(process)));
  complete(folder, manifest);
  // Of one whose pages nobody has summed up nothing can be left out.
  if (is_incremental())
    kept_.chain.add(folder, manifest, regroup_);
  else
    kept_.chain.forget();
}

}  // namespace armature::checkpoints

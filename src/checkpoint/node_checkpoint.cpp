// All ranks stand where they wait: their stacks, heaps and records, and what is on its way between
// them, lie in the segments. So the memory file is all that a checkpoint needs, whatever ranks were
// about to do; only nobody may run while it is written. Each process writes the segments of as many
// ranks as the others, whoever hosts them.
#include "checkpoint/node_checkpoint.hpp"

#include <utility>

#include "base/fail.hpp"
#include "checkpoint/describe.hpp"
#include "checkpoint/folder.hpp"
#include "checkpoint/left_out_note.hpp"
#include "checkpoint/pages.hpp"
#include "fibers/rank_record.hpp"

namespace armature::checkpoints {

NodeCheckpoint::NodeCheckpoint(const space::Mapping& mapping, const quiesce::PhaseBarrier& barrier,
                               int process, int segment_file, Kept& kept)
    : mapping_(mapping),
      job_(mapping.header()),
      quiesce_(job_.quiesce),
      barrier_(barrier),
      process_(process),
      segment_file_(segment_file),
      kept_(kept),
      number_(quiesce_.wanted.load(std::memory_order_acquire)) {}

NodeCheckpoint::~NodeCheckpoint() {
  if (!folder_.empty()) abandon(folder_);
}

quiesce::Client NodeCheckpoint::client() {
  return {.when_quiet = {},
          .prepare = [this] { open_folder(); },
          .by_each = [this](const quiesce::PhaseBarrier&) { write_part(); },
          .complete = [this] { complete(); },
          .undo = [this] { undo(); },
          .at_end = {}};
}

bool NodeCheckpoint::is_incremental() const {
  return quiesce_.incremental.is_wanted.load(std::memory_order_relaxed) != 0;
}

void NodeCheckpoint::open_folder() {
  quiesce_.incremental.since.store(0, std::memory_order_relaxed);
  const std::string directory = quiesce_.folder.directory;
  const std::uint32_t since =
      is_incremental() ? kept_.chain.goes_on_from(directory, barrier_.epoch()) : 0;
  folder_ = make_folder(directory);
  quiesce_.folder.number = number_of_folder(folder_);
  quiesce_.folder.begin(new_id());
  lock_folder(folder_, quiesce_.folder.first_id);
  quiesce_.incremental.since.store(since, std::memory_order_relaxed);
}

void NodeCheckpoint::write_share(PartWriter& part) {
  // The memory that all ranks share lies behind the last segment.
  const quiesce::NodeMembers::Share share = barrier_.of_node().share(UINT64_MAX / 2);
  const LeftOut left_out = LeftOut::between(mapping_, share.begin, share.end);
  note_left_out(own_folder(quiesce_), process_, left_out);
  if (!is_incremental())
    return write_pages(segment_file_, share.begin, share.end, part, nullptr, left_out);
  const std::uint32_t since = quiesce_.incremental.since.load(std::memory_order_relaxed);
  // Each process has written the same share of the checkpoint before.
  ARMATURE_ASSERT(since == 0 || since == kept_.sums_of);
  kept_.sums.begin(since == 0);
  kept_.sums_of = number_;
  write_pages(segment_file_, share.begin, share.end, part, &kept_.sums, left_out);
}

void NodeCheckpoint::write_part() {
  PartWriter part(own_folder(quiesce_), ranks_part(process_));
  write_share(part);
  (void)part.finish();
}

void NodeCheckpoint::complete() {
  Manifest manifest =
      describe(job_, number_, static_cast<std::uint32_t>(barrier_.of_node().processes().size()));
  if (quiesce_.incremental.since.load(std::memory_order_relaxed) != 0)
    manifest.before = kept_.chain.last();

  PartWriter control(folder_, fibers::RankRecord::part);
  for (int rank = 0; rank < mapping_.ranks(); ++rank) {
    const fibers::RankRecord record = fibers::RankRecord::of(mapping_, rank);
    control.add(static_cast<std::uint64_t>(rank) * sizeof record, &record, sizeof record);
  }
  manifest.parts.push_back(control.finish());
  for (const int process : barrier_.of_node().processes())
    manifest.parts.push_back(find_part(folder_, ranks_part(process)));
  manifest.left_out = take_left_out(folder_);
  checkpoints::complete(folder_, manifest);
  // Nothing can be left out behind one whose pages nobody has summed up.
  const std::string folder = std::exchange(folder_, {});
  if (is_incremental())
    kept_.chain.add(folder, manifest, barrier_.epoch());
  else
    kept_.chain.forget();
}

void NodeCheckpoint::undo() {
  kept_.chain.forget();
  if (!folder_.empty()) abandon(std::exchange(folder_, {}));
}

}  // namespace armature::checkpoints

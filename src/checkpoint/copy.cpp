#include "checkpoint/copy.hpp"

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "checkpoint/left_out.hpp"
#include "fibers/rank_record.hpp"
#include "space/copy_file.hpp"
#include "space/copy_pages.hpp"

namespace armature::checkpoints {

using space::place_of_record;

void count_copy(space::ControlHeader& job, std::uint32_t number) {
  job.every.copies.last_ns.store(base::now_ns(), std::memory_order_relaxed);
  // Release: who sees the number finds the copy whole.
  job.quiesce.copy.store(number, std::memory_order_release);
}

Copy::Copy(const space::Mapping& mapping, int segment_file, std::uint32_t number)
    : mapping_(mapping),
      segment_file_(segment_file),
      file_(segment_file + static_cast<int>(number)) {
  ARMATURE_ASSERT(mapping.header().settings.keeps_copies != 0 && number >= 1 && number <= 2);
}

quiesce::Client Copy::client(const space::Mapping& mapping, int segment_file) {
  const std::uint32_t last = mapping.header().quiesce.copy.load(std::memory_order_acquire);
  const std::uint32_t number = last == 1 ? 2 : 1;
  const Copy copy(mapping, segment_file, number);
  return {.when_quiet = {},
          .prepare = {},
          .by_each =
              [copy](const quiesce::PhaseBarrier& barrier) {
                copy.fill(barrier.of_node());
                if (barrier.leads()) copy.write_records();
              },
          .complete = {},
          .undo = {},
          .at_end = [&mapping, number] { count_copy(mapping.header(), number); }};
}

void Copy::fill(const quiesce::NodeMembers& members) const {
  const auto share = members.share(space::records_offset(mapping_.header()));
  LeftOut::between(mapping_, share.begin, share.end)
      .copy_pages(segment_file_, file_, share.begin, share.end);
}

void Copy::bring_back(const quiesce::NodeMembers& members) const {
  const auto share = members.share(space::records_offset(mapping_.header()));
  space::copy_pages(file_, segment_file_, share.begin, share.end);
}

void Copy::write_records() const {
  const space::ControlHeader& job = mapping_.header();
  space::write_at(file_, place_of_record(job, -1),
                  job.here.finished.load(std::memory_order_relaxed));
  for (int rank = 0; rank < mapping_.ranks(); ++rank)
    space::write_at(file_, place_of_record(job, rank), fibers::RankRecord::of(mapping_, rank));
}

void Copy::give_records() const {
  space::ControlHeader& job = mapping_.header();
  job.here.finished.store(space::read_at<std::uint32_t>(file_, place_of_record(job, -1)),
                          std::memory_order_relaxed);
  const space::Control control{reinterpret_cast<std::byte*>(&job)};
  for (int rank = 0; rank < mapping_.ranks(); ++rank)
    space::read_at<fibers::RankRecord>(file_, place_of_record(job, rank)).give(control, rank);
}

}  // namespace armature::checkpoints

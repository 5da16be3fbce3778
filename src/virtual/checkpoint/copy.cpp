#include "virtual/checkpoint/copy.hpp"

#include "base/fail.hpp"
#include "space/copy_file.hpp"
#include "virtual/copy_pages.hpp"
#include "virtual/rank_record.hpp"

namespace armature::checkpoints {

using space::place_of_record;

Copy::Copy(const space::Mapping& mapping, int band_file, std::uint32_t number)
    : mapping_(mapping), band_file_(band_file), file_(band_file + static_cast<int>(number)) {
  ARMATURE_ASSERT(mapping.header().keeps_copies != 0 && number >= 1 && number <= 2);
}

void Copy::fill(const fibers::Meeting& meeting) const {
  const auto share = meeting.share(space::records_offset(mapping_.header()));
  fibers::copy_pages(band_file_, file_, share.begin, share.end);
}

void Copy::bring_back(const fibers::Meeting& meeting) const {
  const auto share = meeting.share(space::records_offset(mapping_.header()));
  fibers::copy_pages(file_, band_file_, share.begin, share.end);
}

void Copy::write_records() const {
  const space::ControlHeader& job = mapping_.header();
  space::write_at(file_, place_of_record(job, -1), job.through.load(std::memory_order_relaxed));
  for (int rank = 0; rank < mapping_.ranks(); ++rank)
    space::write_at(file_, place_of_record(job, rank), fibers::RankRecord::of(mapping_, rank));
}

void Copy::give_records() const {
  space::ControlHeader& job = mapping_.header();
  job.through.store(space::read_at<std::uint32_t>(file_, place_of_record(job, -1)),
                    std::memory_order_relaxed);
  const space::Control control{reinterpret_cast<std::byte*>(&job)};
  for (int rank = 0; rank < mapping_.ranks(); ++rank)
    space::read_at<fibers::RankRecord>(file_, place_of_record(job, rank)).give(control, rank);
}

}  // namespace armature::checkpoints

#include "virtual/checkpoint/copy.hpp"

#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "space/job_memory.hpp"
#include "virtual/copy_pages.hpp"
#include "virtual/rank_record.hpp"

namespace armature::checkpoints {
namespace {

[[noreturn]] void fail() {
  base::fail(Errc::out_of_memory, fmt::format("the records of ranks cannot be copied: {}",
                                              base::system_text(errno != 0 ? errno : ENOSPC)));
}

template <class Record>
void write_record(int file, const Record& record, std::uint64_t place) {
  static_assert(sizeof record <= space::record_bytes);
  errno = 0;
  if (pwrite(file, &record, sizeof record, static_cast<off_t>(place)) != sizeof record) fail();
}

template <class Record>
Record read_record(int file, std::uint64_t place) {
  Record record;
  errno = 0;
  if (pread(file, &record, sizeof record, static_cast<off_t>(place)) != sizeof record) fail();
  return record;
}

}  // namespace

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

/// That of the job stands before those of ranks.
std::uint64_t Copy::place_of_record(int rank) const {
  return space::records_offset(mapping_.header()) +
         static_cast<std::uint64_t>(rank + 1) * space::record_bytes;
}

void Copy::write_records() const {
  write_record(file_, mapping_.header().through.load(std::memory_order_relaxed),
               place_of_record(-1));
  for (int rank = 0; rank < mapping_.ranks(); ++rank)
    write_record(file_, fibers::RankRecord::of(mapping_, rank), place_of_record(rank));
}

void Copy::give_records() const {
  space::ControlHeader& job = mapping_.header();
  job.through.store(read_record<std::uint32_t>(file_, place_of_record(-1)),
                    std::memory_order_relaxed);
  const space::Control control{reinterpret_cast<std::byte*>(&job)};
  for (int rank = 0; rank < mapping_.ranks(); ++rank)
    read_record<fibers::RankRecord>(file_, place_of_record(rank)).give(control, rank);
}

}  // namespace armature::checkpoints

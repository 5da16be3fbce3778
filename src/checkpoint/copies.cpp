#include "checkpoint/copies.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/relaxed.hpp"
#include "base/runtime.hpp"
#include "checkpoint/copy.hpp"
#include "checkpoint/left_out.hpp"
#include "checkpoint/records.hpp"
#include "fibers/rank_record.hpp"
#include "migration/pieces.hpp"
#include "net/network.hpp"
#include "space/copy_file.hpp"
#include "space/copy_pages.hpp"
#include "space/node_memory.hpp"
#include "wait/processes.hpp"

namespace armature::checkpoints {

using fibers::RankRecord;
using migration::begin_of;
using migration::require_in_segment;
using migration::Stretch;
using net::network;
using quiesce::GivenUp;
using quiesce::PhaseBarrier;
using space::place_of_record;
using space::read_at;
using space::write_at;
using transport::Arrived;

namespace {

using base::relaxed;  // nobody runs

/// Pages follow. Between the last ones and these, nothing was touched.
struct CopyRecord {
  std::uint64_t number;
  std::uint64_t hole;  // where that begins
  std::uint64_t offset;
};

/// The rest of a rank.
struct CopiedRecord {
  std::uint64_t number;
  std::uint64_t hole;
  RankRecord record;
};

struct Taken {  // from others
  int segments_file = -1;
  std::atomic<bool> could_not_write = false;
};
Taken& taken() { return base::state<Taken>(); }

int file_of(int segment_file, std::uint32_t number) {
  return segment_file + 1 + static_cast<int>(number & 1);
}

static_assert(sizeof(Home) == space::home_bytes);

std::vector<int> living_processes(const space::Mapping& mapping, int node) {
  std::vector<int> living;
  for (int p = 0; p < static_cast<int>(mapping.header().processes); ++p)
    if (const space::ProcessSlot& slot = mapping.process_slot(p);
        slot.node == node && !wait::is_gone(slot))
      living.push_back(p);
  return living;
}

/// The next node that is left; -1: there is no other one.
int partner_of(const space::Mapping& mapping, int node) {
  std::set<int> living;
  for (int p = 0; p < static_cast<int>(mapping.header().processes); ++p)
    if (const space::ProcessSlot& slot = mapping.process_slot(p); !wait::is_gone(slot))
      living.insert(slot.node);
  living.erase(node);
  if (living.empty()) return -1;
  const auto next = living.upper_bound(node);
  return next != living.end() ? *next : *living.begin();
}

/// The rank must be on another node, and the copy one that does not count yet.
int checked_file(const Arrived& arrived, std::uint64_t number) {
  const space::Mapping& mapping = network()->mapping();
  const int rank = arrived.record.to;
  const std::uint32_t last = mapping.header().quiesce.copy.load(std::memory_order_acquire);
  if (rank < 0 || rank >= mapping.ranks() || mapping.is_here(rank) ||
      (number != copy_after(last) && number != mended_copy(last)))
    base::fail(Errc::corrupt,
               fmt::format("process {} sends copy {} of rank {}", arrived.process, number, rank));
  return file_of(taken().segments_file, static_cast<std::uint32_t>(number));
}

void on_copy_pages(const Arrived& arrived) {
  const auto record = arrived.head<CopyRecord>();
  const auto bytes = arrived.rest(sizeof record);
  const int file = checked_file(arrived, record.number);
  const space::Mapping& mapping = network()->mapping();
  require_in_segment(arrived, record.hole, record.offset, bytes.size());
  const std::uint64_t begin = begin_of(mapping, arrived.record.to);
  try {
    space::empty_pages(file, begin + record.hole, begin + record.offset);
  } catch (const Error&) {
    taken().could_not_write = true;
  }
  const auto at = static_cast<off_t>(begin + record.offset);
  if (pwrite(file, bytes.data(), bytes.size(), at) != static_cast<ssize_t>(bytes.size()))
    taken().could_not_write = true;
}

void on_copied(const Arrived& arrived) {
  const auto record = arrived.head<CopiedRecord>();
  const int file = checked_file(arrived, record.number);
  const space::Mapping& mapping = network()->mapping();
  const std::uint64_t begin = begin_of(mapping, arrived.record.to);
  require_in_segment(arrived, record.hole, mapping.segment_bytes(), 0);
  try {
    space::empty_pages(file, begin + record.hole, begin + mapping.segment_bytes());
    write_at(file, place_of_record(mapping.header(), arrived.record.to), record.record);
  } catch (const Error&) {
    taken().could_not_write = true;
  }
}

}  // namespace

Copies::Copies(const space::Mapping& mapping, int process, int segment_file)
    : mapping_(mapping), process_(process), segment_file_(segment_file) {
  taken().segments_file = segment_file;
}

const std::array<transport::Handling, 2> Copies::handlers{{
    {.kind = transport::number_of(Kind::copy_pages), .handler = on_copy_pages},
    {.kind = transport::number_of(Kind::copied), .handler = on_copied},
}};

void Copies::forget_problems() { taken().could_not_write = false; }

int Copies::file(std::uint32_t number) const { return file_of(segment_file_, number); }

/// Each rank's own node, and the next one.
std::vector<Home> Copies::homes_now() const {
  std::map<int, int> partners;  // by node
  std::vector<Home> homes;
  for (int rank = 0; rank < mapping_.ranks(); ++rank) {
    // All know the process of the plan; where the rank is now only its own node knows.
    const int process = mapping_.slot(rank).load.goes_to.load(relaxed);
    const int node = mapping_.process_slot(process).node;
    if (!partners.contains(node)) partners[node] = partner_of(mapping_, node);
    homes.push_back({process, partners[node]});
  }
  return homes;
}

quiesce::Client Copies::client() const {
  space::ControlHeader& job = mapping_.header();
  const std::uint32_t number = copy_after(job.quiesce.copy.load(std::memory_order_acquire));
  const auto make_it = [copies = *this, number](const quiesce::PhaseBarrier& barrier) {
    copies.make(barrier, 4, number);
  };
  return {.when_quiet = {},
          .prepare = {},
          .by_each = make_it,
          .complete = {},
          .undo = {},
          .at_end = [&job, number] { count_copy(job, number); }};
}

void Copies::make(const PhaseBarrier& barrier, std::uint32_t step, std::uint32_t number) const {
  const std::vector<Home> homes = homes_now();
  for (int rank = 0; rank < mapping_.ranks(); ++rank) {
    const Home& home = homes[static_cast<std::size_t>(rank)];
    if (home.process != process_) continue;
    barrier.require_to_go_on();
    const std::uint64_t begin = begin_of(mapping_, rank);
    space::NodeMemory(mapping_).empty_kept(rank);  // what it has freed is neither kept nor sent
    LeftOut left_out;
    left_out.add(mapping_, rank);
    left_out.copy_pages(segment_file_, file(number), begin, begin + mapping_.segment_bytes(),
                        {.from = mapping_.segment(rank)});
    write_at(file(number), place_of_record(mapping_.header(), rank),
             RankRecord::of(mapping_, rank));
    // By the copy's pages: what is left out is not sent.
    if (home.partner >= 0) send(number, rank, home.partner, file(number));
  }
  if (barrier.leads()) {
    empty_others(number, homes);
    space::copy_pages(segment_file_, file(number), begin_of(mapping_, mapping_.ranks()),
                      space::records_offset(mapping_.header()));
    write_homes(number, homes);
  }
  finish(barrier, step);
}

void Copies::mend(const PhaseBarrier& barrier, std::uint32_t step, std::uint32_t last) const {
  const std::vector<Home> before = this->homes(last);
  std::vector<Home> homes = homes_now();
  const std::uint32_t number = mended_copy(last);
  for (int rank = 0; rank < mapping_.ranks(); ++rank) {
    Home& home = homes[static_cast<std::size_t>(rank)];
    const int partner = before[static_cast<std::size_t>(rank)].partner;
    if (partner >= 0 && partner != mapping_.process_slot(home.process).node &&
        !living_processes(mapping_, partner).empty())
      home.partner = partner;  // has it
    else if (home.partner >= 0 && home.process == process_)
      send(number, rank, home.partner, segment_file_);
    barrier.require_to_go_on();
  }
  if (barrier.leads()) write_homes(number, homes);
  finish(barrier, step);
}

void Copies::finish(const PhaseBarrier& barrier, std::uint32_t step) const {
  barrier.become_quiet();
  barrier.reach(step);
  barrier.all_reach(step);
  if (taken().could_not_write.exchange(false))
    base::fail(Errc::out_of_memory, "there is no memory for copies of ranks of other nodes");
}

/// Sends it to the process of that node whose turn it is.
void Copies::send(std::uint32_t number, int rank, int node, int pages_of) const {
  const std::vector<int> processes = living_processes(mapping_, node);
  if (processes.empty()) throw GivenUp();  // its last one has just been lost
  const int partner = processes[static_cast<std::size_t>(rank) % processes.size()];
  const std::uint64_t hole =
      migration::send_segment<CopyRecord>(mapping_, pages_of, {rank, partner, Kind::copy_pages},
                                          [&](std::uint64_t before, const Stretch& touched) {
                                            return CopyRecord{number, before, touched.begin};
                                          });
  const CopiedRecord record{number, hole, RankRecord::of(mapping_, rank)};
  const transport::Links::Lock locked(network()->links().lock());
  transport::Link& link = network()->links().to(partner);
  link.post(Kind::copied, rank, rank, record, transport::Link::Ack::later);
  link.flush();
}

/// Empties the pages of ranks that are neither here any more nor sent here.
void Copies::empty_others(std::uint32_t number, const std::vector<Home>& homes) const {
  const int here = mapping_.header().node;
  for (int rank = 0; rank < mapping_.ranks(); ++rank) {
    const Home& home = homes[static_cast<std::size_t>(rank)];
    if (mapping_.process_slot(home.process).node == here || home.partner == here) continue;
    const std::uint64_t begin = begin_of(mapping_, rank);
    space::empty_pages(file(number), begin, begin + mapping_.segment_bytes());
  }
}

/// A copy is not to spoil the table of the one before, which may be in the same file.
std::uint64_t Copies::place_of_home(std::uint32_t number, int rank) const {
  return space::place_of_home(mapping_.header(), number >> 1 & 1, rank);
}

void Copies::write_homes(std::uint32_t number, const std::vector<Home>& homes) const {
  for (int rank = 0; rank < mapping_.ranks(); ++rank)
    write_at(file(number), place_of_home(number, rank), homes[static_cast<std::size_t>(rank)]);
}

std::vector<Home> Copies::homes(std::uint32_t number) const {
  std::vector<Home> homes;
  for (int rank = 0; rank < mapping_.ranks(); ++rank)
    homes.push_back(read_at<Home>(file(number), place_of_home(number, rank)));
  return homes;
}

void Copies::bring_back(std::uint32_t number, int rank) const {
  const std::uint64_t begin = begin_of(mapping_, rank);
  const bool was_here = mapping_.slot(rank).process.load(relaxed) == process_;
  space::copy_pages(file(number), segment_file_, begin, begin + mapping_.segment_bytes(),
                    {.to = was_here ? mapping_.segment(rank) : nullptr});
}

void Copies::bring_back_behind(std::uint32_t number) const {
  space::copy_pages(file(number), segment_file_, begin_of(mapping_, mapping_.ranks()),
                    space::records_offset(mapping_.header()));
}

void Copies::give_record(std::uint32_t number, int rank) const {
  read_at<RankRecord>(file(number), place_of_record(mapping_.header(), rank))
      .give({reinterpret_cast<std::byte*>(&mapping_.header())}, rank);
}

void Copies::empty_segment(int rank) const {
  const std::uint64_t begin = begin_of(mapping_, rank);
  space::empty_pages(segment_file_, begin, begin + mapping_.segment_bytes());
}

}  // namespace armature::checkpoints

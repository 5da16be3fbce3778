#include "harness/waiting_job.hpp"

#include <cstddef>
#include <cstring>
#include <new>

#include "base/clock.hpp"
#include "space/segment_head.hpp"
#include "space/team_block.hpp"

namespace armature::harness {
namespace {

// Nothing else lies there, as nobody allocates from these segments.
constexpr std::uint64_t block_offset = WaitingJob::segment_bytes / 2;
constexpr std::uint64_t ring_offset = block_offset + (1 << 20);

std::uint64_t peer_offset(int from) {
  return sizeof(space::SegmentHead) + static_cast<std::uint64_t>(from) * sizeof(space::PeerLine);
}

}  // namespace

WaitingJob::WaitingJob(std::uint32_t ranks)
    : job_(ranks, {.segment_bytes = segment_bytes}),
      control_{reinterpret_cast<std::byte*>(&job_.header())} {
  for (int rank = 0; rank < static_cast<int>(ranks); ++rank) slot(rank).life = space::Life::running;
  files_.fds = job_.descriptors();
}

void WaitingJob::waits(int rank, space::Awaiting what, int peer, std::uint64_t object,
                       std::uint64_t detail) {
  space::WaitRecord& record = slot(rank).wait;
  record.sequence += 2;
  record.awaiting = what;
  record.peer = peer;
  record.object = object;
  record.detail = detail;
  record.since_ns = base::now_ns();
}

std::uint64_t WaitingJob::make_team(const std::vector<int>& members,
                                    const std::vector<std::uint64_t>& entered,
                                    const std::vector<Tally>& tallies) {
  std::byte* const place = at(members[0], block_offset);
  std::memset(place, 0, space::TeamBlock::head_bytes(members.size()));
  auto* block = new (place) space::TeamBlock;
  block->size = static_cast<std::uint32_t>(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    block->ranks()[i] = members[i];
    block->line(i, entered[i]).round = entered[i];
  }
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    space::FenceLine& line = block->fence_line(i, tallies[i].wave);
    line.wave = tallies[i].wave;
    line.sent = tallies[i].sent;
    line.executed = tallies[i].executed;
  }
  return address(members[0], block_offset);
}

void WaitingJob::notify(int rank, int from, std::uint64_t times) {
  write(rank, peer_offset(from) + offsetof(space::PeerLine, notified), times);
}

void WaitingJob::leave_mail(int rank, int from, std::uint64_t bytes) {
  write(from, ring_offset, bytes);  // a ring begins with how much was written
  write(rank, peer_offset(from) + offsetof(space::PeerLine, mailbox), address(from, ring_offset));
}

void WaitingJob::write(int rank, std::uint64_t offset, std::uint64_t value) {
  std::memcpy(at(rank, offset), &value, sizeof value);
}

}  // namespace armature::harness

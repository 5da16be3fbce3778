#pragma once

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "base/clock.hpp"
#include "base/file_descriptor.hpp"
#include "command/explain/observe.hpp"
#include "space/band_head.hpp"
#include "space/control.hpp"
#include "space/layout.hpp"
#include "space/team_block.hpp"

// A control block and bands made by hand, for the unit tests of what reads them.

namespace armature::command {

class HandMadeJob {
 public:
  static constexpr std::uint64_t base = space::default_base;
  static constexpr std::uint64_t band_bytes = 1 << 20;
  static constexpr std::uint64_t block_offset = 16384;

  explicit HandMadeJob(std::uint32_t ranks)
      : memory_(static_cast<std::byte*>(
                    std::aligned_alloc(4096, (space::Control::bytes(ranks) + 4095) / 4096 * 4096)),
                &std::free),
        control_{memory_.get()} {
    auto* header = new (memory_.get()) space::ControlHeader;
    header->ranks = ranks;
    header->processes = ranks;
    header->band_base = base;
    header->band_bytes = band_bytes;
    header->started_ns = base::now_ns();
    for (int rank = 0; rank < static_cast<int>(ranks); ++rank) {
      (new (&control_.slot(rank)) space::RankSlot)->life = space::Life::running;
      bands_.emplace_back(memfd_create("test-band", MFD_CLOEXEC));
      if (ftruncate(bands_.back().get(), band_bytes) != 0) std::abort();
      files_.fds.push_back(bands_.back().get());
    }
  }

  [[nodiscard]] static std::uint64_t address(int rank, std::uint64_t offset) {
    return base + static_cast<std::uint64_t>(rank) * band_bytes + offset;
  }

  [[nodiscard]] const space::Control& control() const { return control_; }
  space::RankSlot& slot(int rank) { return control_.slot(rank); }

  void waits(int rank, space::Awaiting what, int peer, std::uint64_t object = 0,
             std::uint64_t detail = 0) {
    space::WaitRecord& record = slot(rank).wait;
    record.sequence += 2;
    record.awaiting = what;
    record.peer = peer;
    record.object = object;
    record.detail = detail;
    record.since_ns = base::now_ns();
  }

  struct Tally {
    std::uint64_t wave, sent, executed;
  };
  /// A team's block in the first member's band; entered[i] is the last round that member i has
  /// entered, tallies[i] what it said in its last fence.
  std::uint64_t make_team(const std::vector<int>& members,
                          const std::vector<std::uint64_t>& entered,
                          const std::vector<Tally>& tallies = {}) {
    const std::size_t bytes = space::TeamBlock::head_bytes(members.size());
    const std::unique_ptr<std::byte, decltype(&std::free)> copy(
        static_cast<std::byte*>(std::aligned_alloc(4096, bytes)), &std::free);
    std::memset(copy.get(), 0, bytes);
    auto* block = new (copy.get()) space::TeamBlock;
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
    const int fd = files_.fds[static_cast<std::size_t>(members[0])];
    if (pwrite(fd, copy.get(), bytes, block_offset) != static_cast<ssize_t>(bytes)) std::abort();
    return address(members[0], block_offset);
  }

  /// `from` has notified `rank` that often.
  void notify(int rank, int from, std::uint64_t times) {
    write(rank, peer_offset(from) + offsetof(space::PeerLine, notified), times);
  }

  /// A ring from one rank to another with so many bytes to read.
  void leave_mail(int rank, int from, std::uint64_t bytes) {
    write(from, ring_offset, bytes);  // a ring begins with how much was written
    write(rank, peer_offset(from) + offsetof(space::PeerLine, mailbox), address(from, ring_offset));
  }

  [[nodiscard]] Snapshot observe() const { return command::observe(control_, files_); }

 private:
  static constexpr std::uint64_t ring_offset = 64 * 1024;

  static std::uint64_t peer_offset(int from) {
    return sizeof(space::BandHead) + static_cast<std::uint64_t>(from) * sizeof(space::PeerLine);
  }
  void write(int rank, std::uint64_t offset, std::uint64_t value) const {
    const int fd = files_.fds[static_cast<std::size_t>(rank)];
    if (pwrite(fd, &value, sizeof value, static_cast<off_t>(offset)) != sizeof value) std::abort();
  }

  std::unique_ptr<std::byte, decltype(&std::free)> memory_;
  space::Control control_;
  std::vector<base::FileDescriptor> bands_;
  BandFiles files_;
};

}  // namespace armature::command

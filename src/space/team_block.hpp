#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

// The memory that the members of a team share on a node, in the segment of the team's first member.
// It says who they are, and has one line for each to say how far it has come. It has room for what
// they pass to each other in collectives; that room is sparse: only pages in use exist. `armature
// inspect` reads it from outside.

namespace armature::space {

/// Member i's part of the team's rounds (a barrier or one step of a collective is a round). Written
/// by member i only. Two lines take turns by the round's parity: member i writes line r % 2 for
/// round r only after round r - 1 is complete, that is when all have finished reading round r - 2.
struct alignas(64) MemberLine {
  static constexpr std::size_t inline_bytes = 48;

  // The flag of a member that has given up that round, and will enter none after it.
  static constexpr std::uint64_t gave_up = std::uint64_t{1} << 63;

  // Release: signature and payload of that round are in place. With gave_up, if so.
  std::atomic<std::uint64_t> round{0};
  // The collective, its root and its number of bytes, in which all members must agree. In between
  // it says how many bytes this member shows, which may be none.
  std::uint64_t signature = 0;
  std::byte payload[inline_bytes];

  [[nodiscard]] bool has_given_up() const {
    return (round.load(std::memory_order_acquire) & gave_up) != 0;
  }

  static constexpr int shown_shift = 36, shown_bits = 16;
  static constexpr std::uint64_t shown_mask = ((std::uint64_t{1} << shown_bits) - 1) << shown_shift;
  [[nodiscard]] static std::size_t shown(std::uint64_t signature) {
    return (signature & shown_mask) >> shown_shift;
  }
};

/// The name of a member's line in a pipelined round: the round before it, the number of pipelined
/// rounds since, and the member. What a wait for that line publishes as its detail.
struct PipelinedLine {
  static constexpr std::uint64_t flag = std::uint64_t{1} << 62;

  std::uint64_t round;
  std::uint32_t step;    // from 1 to TeamBlock::pipeline_depth
  std::uint32_t member;  // below TeamBlock::pipeline_members

  /// The number that the line holds once its member has entered. Grows with round and step.
  [[nodiscard]] std::uint64_t number() const { return round << 7 | step; }
  [[nodiscard]] std::uint64_t detail() const { return flag | number() << 6 | member; }
  [[nodiscard]] static bool is_one(std::uint64_t detail) { return (detail & flag) != 0; }
  [[nodiscard]] static PipelinedLine of(std::uint64_t detail) {
    detail &= ~flag;
    return {detail >> 13, static_cast<std::uint32_t>(detail >> 6 & 127),
            static_cast<std::uint32_t>(detail & 63)};
  }
};

/// Member i's part of the team's fences (src/rmi/fence.cpp): what it has sent and executed when it
/// entered a wave. Two lines take turns, as above: a member enters wave w + 1 only after it has
/// read all lines of wave w.
struct alignas(64) FenceLine {
  std::atomic<std::uint64_t> wave{0};  // release: the tally of that wave is in place
  std::atomic<std::uint64_t> sent{0};
  std::atomic<std::uint64_t> executed{0};
};

struct TeamBlock {
  // Up to here every member looks at every other's line; beyond, the first of the node does for
  // all.
  static constexpr std::size_t flat_max = 16;
  // Released when the first member of the node has given a round up: who waits looks at the lines
  // by itself from now on.
  static constexpr std::uint64_t never_more = UINT64_MAX;
  static constexpr std::uint64_t expected_magic = 0x314d'4145'5441'5241;
  static constexpr std::size_t staging_bytes = 32 * 1024;  // per member and parity
  // Teams up to here have pipelined rounds, so many between two rounds in which all meet.
  static constexpr std::size_t pipeline_members = 64, pipeline_depth = 64;

  std::uint64_t magic = expected_magic;
  std::uint32_t id = 0;
  std::uint32_t size = 0;
  std::atomic<std::uint32_t> users{
      0};  // members that have not let go of the team; the last frees the block
  // The first of the team's collectives of messages that fails at all members, and why; 0: none
  // (src/team/breakdown.hpp).
  std::atomic<std::uint64_t> breakdown{0};

  // Large teams: written by the first member of the node when it has seen a round complete, last of
  // all which round that is. What it has combined of all that round's bytes for all, and of which
  // round. So whoever finds the round released has the result of a short reduction in the same
  // cache line.
  static constexpr std::size_t inline_result = 32;
  alignas(64) std::atomic<std::uint64_t> released{0};
  std::atomic<std::uint64_t> disagreed{0};      // the last one in which signatures differed
  std::atomic<std::uint64_t> reduced{0};        // the last one of which there is a result
  alignas(16) std::byte result[inline_result];  // of elements, see detail::Combine
  // The member that it waits for: only that one notifies it. It writes this before it says that it
  // sleeps.
  static constexpr std::uint32_t anybody = UINT32_MAX;
  alignas(64) std::atomic<std::uint32_t> awaited{anybody};
  // In which way calls take least time, a word for each kind and length (team/adaptive.hpp); 0:
  // nothing was learned. Written by members, all of which write the same.
  static constexpr std::size_t learned_max = 7;
  std::atomic<std::uint64_t> learned[learned_max]{};

  FenceLine sums[2];  // large teams: of all lines of a wave, by member 0

  // then MemberLine[size][2], FenceLine[size][2], int32 ranks[size], and from the next page on
  // staging[size][2], room for a result that is longer than `result`, and, up to
  // pipeline_members, MemberLine[size][pipeline_depth]
  [[nodiscard]] MemberLine& line(std::size_t member, std::uint64_t round) {
    return reinterpret_cast<MemberLine*>(this + 1)[2 * member + round % 2];
  }
  [[nodiscard]] FenceLine* fence_lines() {
    return reinterpret_cast<FenceLine*>(reinterpret_cast<MemberLine*>(this + 1) +
                                        std::size_t{2} * size);
  }
  [[nodiscard]] FenceLine& fence_line(std::size_t member, std::uint64_t wave) {
    return fence_lines()[2 * member + wave % 2];
  }
  [[nodiscard]] std::int32_t* ranks() {
    return reinterpret_cast<std::int32_t*>(fence_lines() + std::size_t{2} * size);
  }
  [[nodiscard]] std::byte* staging(std::size_t member, std::uint64_t round) {
    return reinterpret_cast<std::byte*>(this) + head_bytes(size) +
           (2 * member + round % 2) * staging_bytes;
  }
  [[nodiscard]] std::byte* long_result() { return staging(size, 0); }
  [[nodiscard]] MemberLine& line(const PipelinedLine& of) {
    return reinterpret_cast<MemberLine*>(
        staging(size, 1))[std::size_t{of.member} * pipeline_depth + (of.step - 1)];
  }
  /// The part that is written when the team is made, in whole pages.
  [[nodiscard]] static std::size_t head_bytes(std::size_t size) {
    const std::size_t head =
        sizeof(TeamBlock) +
        size * (2 * sizeof(MemberLine) + 2 * sizeof(FenceLine) + sizeof(std::int32_t));
    return (head + 4095) / 4096 * 4096;
  }
  [[nodiscard]] static std::size_t bytes(std::size_t size) {
    const std::size_t pipelined = size <= pipeline_members ? size * pipeline_depth : 0;
    return head_bytes(size) + (size * 2 + 1) * staging_bytes + pipelined * sizeof(MemberLine);
  }
};
static_assert(sizeof(MemberLine) == 64);
static_assert(TeamBlock::pipeline_members <= 64 && TeamBlock::pipeline_depth < 128);
static_assert(sizeof(FenceLine) == 64);
static_assert(sizeof(TeamBlock) % 64 == 0);

}  // namespace armature::space

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

// What the members of a team share on a node, in the band of the team's first member: who they are, and
// one slot each to say how far they have come. Read from outside by `armature inspect`.

namespace armature::team {

/// Member i's part of the team's rounds (a barrier or one step of a collective is a round). Written by
/// member i only. Two lines take turns by the round's parity: member i writes line r % 2 for round r only
/// after round r - 1 is complete, that is when all have finished reading round r - 2.
struct alignas(64) MemberLine {
  static constexpr std::size_t inline_bytes = 48;

  std::atomic<std::uint64_t> round{0};  // release: the payload of that round is in place
  std::uint64_t staging = 0;            // address of the payload when it is longer than inline_bytes
  std::byte payload[inline_bytes];
};

struct TeamBlock {
  static constexpr std::uint64_t expected_magic = 0x314d'4145'5441'5241;

  std::uint64_t magic = expected_magic;
  std::uint32_t id = 0;
  std::uint32_t size = 0;
  alignas(64) std::atomic<std::uint64_t> released{0};  // large teams: the round that member 0 has seen complete

  // then MemberLine[size][2], then int32 ranks[size]
  [[nodiscard]] MemberLine& line(std::uint32_t member, std::uint64_t round) {
    return reinterpret_cast<MemberLine*>(this + 1)[2 * member + round % 2];
  }
  [[nodiscard]] std::int32_t* ranks() {
    return reinterpret_cast<std::int32_t*>(reinterpret_cast<MemberLine*>(this + 1) + std::size_t{2} * size);
  }
  [[nodiscard]] static std::size_t bytes(std::uint32_t size) {
    return sizeof(TeamBlock) + size * (2 * sizeof(MemberLine) + sizeof(std::int32_t));
  }
};
static_assert(sizeof(MemberLine) == 64);
static_assert(sizeof(TeamBlock) % 64 == 0);

}  // namespace armature::team

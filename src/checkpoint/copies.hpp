#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "quiesce/phase_barrier.hpp"
#include "quiesce/phases.hpp"
#include "space/mapping.hpp"
#include "transport/links.hpp"

// Checkpoints in memory, of several nodes. Each node has a file with what its memory file held. In
// the same file, where segments of ranks on other nodes would be, are those of the node before it.
// So what a node knew is known on the next one. There are two such files on each node, so that one
// is whole while the other is written.
//
// After a loss a copy is still whole but for what the lost node had of it. That alone is made
// again, where there was nothing of it before: the copy is in the same file, with another number.

namespace armature::checkpoints {

/// The place of a rank when a copy was made.
struct Home {
  std::int32_t process = -1;
  std::int32_t partner = -1;  // the node that has it, too; -1: none has
};

// Numbers of copies, 0: none. The later the greater; the lowest bit says in which file it is.
/// Of the next one, in the other file.
constexpr std::uint32_t copy_after(std::uint32_t last) { return ((last | 1) + 1) | (~last & 1); }
/// The number of the same copy, mended.
constexpr std::uint32_t mended_copy(std::uint32_t last) { return last + 2; }

class Copies {
 public:
  /// The files of copies are open behind that of the segments.
  Copies(const space::Mapping& mapping, int process, int segment_file);

  /// The next one, which counts when all have made their part of it: what is done in which phase of
  /// all of them quiescent.
  [[nodiscard]] quiesce::Client client() const;
  /// Each process of the job calls it for the last copy, to which all have rolled back, while all
  /// are quiescent. What one node alone has of that copy goes to another one. They reach that step
  /// on the way. Throws Error(out_of_memory), GivenUp. Until all have come to that step, it is what
  /// it was.
  void mend(const quiesce::PhaseBarrier& barrier, std::uint32_t step, std::uint32_t last) const;

  /// Forgets problems that came up with what others sent. Called before the next copy, where one
  /// was given up.
  static void forget_problems();

  /// Reads the homes of all ranks. Throws Error(out_of_memory).
  [[nodiscard]] std::vector<Home> homes(std::uint32_t number) const;
  /// The segment is again what it was. Throws Error(out_of_memory).
  void bring_back(std::uint32_t number, int rank) const;
  /// Brings back what all ranks of the node share.
  void bring_back_behind(std::uint32_t number) const;
  /// Gives the control block what it knew of the rank.
  void give_record(std::uint32_t number, int rank) const;
  /// Empties the segment.
  void empty_segment(int rank) const;

  static const std::array<transport::Handling, 2> handlers;

 private:
  [[nodiscard]] int file(std::uint32_t number) const;
  [[nodiscard]] std::uint64_t place_of_home(std::uint32_t number, int rank) const;
  [[nodiscard]] std::vector<Home> homes_now() const;
  void write_homes(std::uint32_t number, const std::vector<Home>& homes) const;
  void empty_others(std::uint32_t number, const std::vector<Home>& homes) const;
  void make(const quiesce::PhaseBarrier& barrier, std::uint32_t step, std::uint32_t number) const;
  void send(std::uint32_t number, int rank, int node, int pages_of) const;
  void finish(const quiesce::PhaseBarrier& barrier, std::uint32_t step) const;

  const space::Mapping& mapping_;
  const int process_, segment_file_;
};

}  // namespace armature::checkpoints

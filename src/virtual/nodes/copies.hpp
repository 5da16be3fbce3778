#pragma once

#include <cstdint>
#include <vector>

#include "space/mapping.hpp"
#include "transport/links.hpp"
#include "virtual/nodes/steps.hpp"

// Checkpoints in memory, of several nodes: each node has a file with what its bands' file held, and
// in the same file, where bands of ranks on other nodes would be, those of the node before it. So
// what a node knew is known on the next one. There are two such files on each node, so that one is
// whole while the other is written.

namespace armature::nodes {

/// Where a rank was when a copy was made.
struct Home {
  std::int32_t process = -1;
  std::int32_t partner = -1;  // the node that has it, too; -1: none has
};

class Copies {
 public:
  /// The files of copies are open behind that of the bands.
  Copies(const space::Mapping& mapping, int process, int band_file);

  /// By each process of the job, all of which stand still: the next copy, which counts when all
  /// have made their part of it. They reach that step on the way. Throws Error(out_of_memory),
  /// GivenUp.
  void make(const Steps& steps, std::uint32_t step, std::uint32_t number) const;

  /// Before the next one, where one was given up: those that have come up with what others sent.
  static void forget_problems();

  /// Of all ranks. Throws Error(out_of_memory).
  [[nodiscard]] std::vector<Home> homes(std::uint32_t number) const;
  /// The band is again what it was. Throws Error(out_of_memory).
  void bring_back(std::uint32_t number, int rank) const;
  /// The same of what all ranks of the node share.
  void bring_back_behind(std::uint32_t number) const;
  /// What the control block knew of it.
  void give_record(std::uint32_t number, int rank) const;
  /// There is nothing in the band.
  void empty_band(int rank) const;

  static void install(transport::Links& links);

 private:
  [[nodiscard]] int file(std::uint32_t number) const;
  void write_homes(std::uint32_t number) const;
  void empty_others(std::uint32_t number) const;
  void send(std::uint32_t number, int rank, int partner) const;

  const space::Mapping& mapping_;
  const int process_, band_file_;
};

}  // namespace armature::nodes

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "space/control.hpp"

namespace armature::command {

/// A rank's crash report, copied and checked: nothing in shared memory is trusted as a length.
struct Words {
  int signal = 0;
  int status = 0;
  bool was_sent = false;  // the signal
  bool is_well = false;   // the rank ends the job, which has not failed
  std::uint64_t fault_address = 0;
  std::vector<std::uint64_t> frames;
  std::string text;
};
/// Nothing until the rank has said them.
std::optional<Words> read_words(const space::Control& control, int rank);

/// How a rank has left, or is about to.
struct Ending {
  int status = 0;         // what it makes the launcher return; 0 only when all is well
  bool in_order = false;  // it left the job as one should, or had nothing to do with it
  std::string how;        // "was killed by signal 11 (SIGSEGV: address 0x10)"
  std::string hint = {};  // what to do next, a sentence; empty where nothing is known
};

/// Whether both ended for the same reason. Numbers do not count: each rank names its own members,
/// counts and addresses.
[[nodiscard]] bool are_alike(const Ending& a, const Ending& b);

/// Judges by what it said.
Ending ending_by_words(const Words& words, const space::Control& control, int node = 0);

/// Judges by waitpid's status, for a rank that said nothing. `out_of_memory`: the kernel has killed
/// processes of this control group for want of memory since the job began.
Ending ending_by_status(int wait_status, space::Life life, bool out_of_memory);

}  // namespace armature::command

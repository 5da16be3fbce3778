#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "command/explain/observe.hpp"
#include "command/explain/rank_list.hpp"

namespace armature::command {

/// " in 2 processes"; nothing where every rank is a process.
std::string in_processes(const space::ControlHeader& header);

/// "0.5 s", "12 s", "3 min 20 s", "2 h 5 min".
std::string duration(double seconds);

/// Says what a rank does, as the two halves of a sentence around the time it has done so: "waits"
/// 12.3 s "for mutex 0 at rank 2, held by rank 0"; "has finished" "".
struct Phrase {
  std::string verb;
  std::string object;
  bool timed = true;
};
Phrase phrase(const Snapshot& snapshot, int rank);

/// Says it without a time, to stand behind "rank 2 ": "computes".
std::string in_short(const RankState& state);

/// The ranks that must act before this rank can go on; empty when it does not wait, or when any of
/// several may help it. Of very many the first.
std::vector<int> waits_on(const Snapshot& snapshot, int rank, std::size_t count_max = SIZE_MAX);

/// True for a rank that waits, and did so a moment ago. Not where something has come since at which
/// it has yet to look: what it waits for, or a call that it executes.
bool goes_on_waiting(const RankState& state);

/// True for a rank that is ready, but another virtual rank of its process has its turn, and
/// computes.
bool waits_for_its_turn(const Snapshot& snapshot, const RankState& state);

/// Whether those must come to a call of their own for it. An operation on memory needs none: it
/// completes whatever the rank there does, as long as its process runs. A rank that is ready needs
/// that whoever has its process's turn waits. Nor does one that connects to a process.
bool needs_their_calls(const RankState& state);

/// True for a rank that waits for whoever comes first: a message from anyone.
bool waits_on_anyone(const RankState& state);

}  // namespace armature::command

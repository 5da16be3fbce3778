#include "command/explain/phrase.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "wait/awaited_value.hpp"
#include "wait/processes.hpp"

namespace armature::command {
namespace {

using space::Awaiting;
using space::Life;

bool waits(const RankState& state) {
  return ((state.life == Life::running || state.life == Life::leaving) &&
          state.wait.awaiting != Awaiting::nothing) ||
         state.is_connecting();
}

/// True for a rank that may begin, but has not had its turn yet.
bool is_to_begin(const RankState& state) {
  return state.life == Life::starting && state.is_ready && state.runs_instead >= 0;
}

std::string to_whom(const RankState& state) {
  return state.wait.peer < 0 ? std::string("the job's other processes")
                             : fmt::format("rank {}", state.wait.peer);
}

std::string team_name(std::uint32_t team) {
  return team == 0 ? "the world" : fmt::format("team {}", team);
}

std::string peer_name(int peer) {
  return peer < 0 ? std::string("an unknown rank") : fmt::format("rank {}", peer);
}

/// ": ranks 1 and 2 have not entered", or why that cannot be said.
std::string who_is_missing(const RankState& state, const char* what_they_did_not) {
  if (!state.round) return "";
  const auto& missing = state.round->missing;
  if (missing.empty()) return ", which all have reached by now";
  return fmt::format(": {} {} not {}", state.round->missing_in_words,
                     missing.size() == 1 ? "has" : "have", what_they_did_not);
}

/// Tells who has not come to a fence's wave, and the calls that those who have come know of.
std::string progress_of_fence(const RankState& state) {
  if (!state.round) return fmt::format(": {} has not come so far", peer_name(state.wait.peer));
  return fmt::format("{}; calls there: {} sent, {} executed", who_is_missing(state, "come so far"),
                     state.round->sent, state.round->executed);
}

/// The owner of the memory an address lies in, as "at rank 2", or nothing.
std::string place(const Snapshot& snapshot, std::uint64_t address) {
  if (address < snapshot.segment_base || snapshot.segment_bytes == 0) return "";
  const std::uint64_t rank = (address - snapshot.segment_base) / snapshot.segment_bytes;
  return rank < snapshot.ranks.size() ? fmt::format(" at rank {}", rank) : "";
}

/// Words of a condition, as find_remote writes a name and layers write theirs: 16 bytes, and zeros
/// where those are fewer.
std::string beginning_of_words(const Wait& wait) {
  char bytes[sizeof wait.object + sizeof wait.detail + 1] = {};
  std::memcpy(bytes, &wait.object, sizeof wait.object);
  std::memcpy(bytes + sizeof wait.object, &wait.detail, sizeof wait.detail);
  const std::string words = bytes;
  return words.size() + 1 < sizeof bytes ? words : words + "...";
}

/// "for a value at 0x7f0000001000 >= 5", "for all of 12 values at 0x7f0000001000 >= values of their
/// own".
std::string value_awaited(const Wait& wait) {
  using Of = wait::AwaitedValue::Of;
  static constexpr const char* signs[] = {"==", "!=", ">", ">=", "<", "<="};
  const auto how = wait::AwaitedValue::unpacked(wait.team);
  const auto sign = static_cast<std::size_t>(how.comparison);
  const std::string compared = sign < std::size(signs) ? signs[sign] : "?";
  const std::string value = how.each_has_its_own ? "values of their own"
                            : how.is_signed ? fmt::to_string(static_cast<std::int64_t>(wait.detail))
                                            : fmt::to_string(wait.detail);
  const std::string words =
      how.of == Of::one
          ? "a value"
          : fmt::format("{} of {} values", how.of == Of::any ? "any" : "all", how.count);
  return fmt::format("for {} at {:#x} {} {}", words, wait.object, compared, value);
}

/// The round of its team in words: a pipelined one has no number.
std::string round_of(const Wait& wait) {
  return space::PipelinedLine::is_one(wait.detail)
             ? fmt::format("after round {}", space::PipelinedLine::of(wait.detail).round)
             : fmt::format("round {}", wait.detail);
}

std::string awaited(const Snapshot& snapshot, const RankState& state) {
  const Wait& wait = state.wait;
  // A rank that has returned waits in a barrier, then in a fence; the program has called neither.
  const bool at_the_end = state.life == Life::leaving &&
                          (wait.awaiting == Awaiting::barrier || wait.awaiting == Awaiting::fence);
  if (at_the_end) return "for the end of the job" + who_is_missing(state, "reached it");
  const std::string holder = wait.peer < 0 ? "" : fmt::format(", held by rank {}", wait.peer);
  switch (wait.awaiting) {
    case Awaiting::nothing:
      return "";
    case Awaiting::barrier:
      return fmt::format("in a barrier (round {}) of {}{}", wait.detail, team_name(wait.team),
                         who_is_missing(state, "entered it"));
    case Awaiting::collective:
      return fmt::format("in a collective ({}) of {}{}", round_of(wait), team_name(wait.team),
                         who_is_missing(state, "entered it"));
    case Awaiting::mutex:
      return fmt::format("for mutex {}{}{}", wait.detail, place(snapshot, wait.object), holder);
    case Awaiting::element:
      return fmt::format("to accumulate{}, where another accumulate is going on{}",
                         place(snapshot, wait.object), holder);
    case Awaiting::notify:
      return fmt::format("for a notify from {}", wait.peer < 0 ? "anyone" : peer_name(wait.peer));
    case Awaiting::message:
      return fmt::format("for a message with {} from {}",
                         static_cast<std::int64_t>(wait.detail) < 0
                             ? "any tag"
                             : fmt::format("tag {}", wait.detail),
                         wait.peer < 0 ? "anyone" : peer_name(wait.peer));
    case Awaiting::room:
      return fmt::format("for room in the mailbox of {}, which takes nothing out",
                         peer_name(wait.peer));
    case Awaiting::answer:
      return wait.peer < 0 ? "for a future"
                           : fmt::format("for an answer of {}", peer_name(wait.peer));
    case Awaiting::fence:
      return fmt::format("in rmi_fence (wave {}) of {}{}", wait.detail, team_name(wait.team),
                         progress_of_fence(state));
    case Awaiting::request:
      return "in rmi_wait, for a call from anyone";
    case Awaiting::name:
      return fmt::format("until {} registers an object named \"{}\"", peer_name(wait.peer),
                         beginning_of_words(wait));
    case Awaiting::initialiser:
      return "until a function's static is initialised" +
             (wait.peer < 0 ? "" : fmt::format(", by rank {}", wait.peer));
    case Awaiting::condition:
      return fmt::format("until {}{}", beginning_of_words(wait),
                         wait.peer < 0 ? "" : fmt::format(", by rank {}", wait.peer));
    case Awaiting::value:
      return value_awaited(wait);
    case Awaiting::completion:
      return fmt::format("for an operation at {} to complete", peer_name(wait.peer));
    case Awaiting::team:
      return fmt::format("for {} to create a team", peer_name(wait.peer));
    case Awaiting::exit:
      return "for the end of the job" + who_is_missing(state, "reached it");
  }
  return fmt::format("for something unknown ({})", static_cast<unsigned>(wait.awaiting));
}

Phrase outside_armature(const RankState& state) {
  switch (state.process_state) {
    case 'S':
      return {"has been asleep", "outside Armature (sleep, a read, a lock of its own...)"};
    case 'D':
      return {"has been outside Armature", ", now waiting for a disk or a network file system"};
    default:
      return {"has run", "without waiting in Armature: it computes, or calls again and again"};
  }
}

}  // namespace

std::string in_processes(const space::ControlHeader& header) {
  const std::uint32_t processes =
      header.ranks_are_virtual != 0 ? wait::hosting_processes(header) : header.processes;
  if (processes == header.ranks) return "";
  return processes == 1 ? " in one process" : fmt::format(" in {} processes", processes);
}

std::string duration(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds < 0 ? 0.0 : seconds);
  const auto whole = static_cast<long>(seconds);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

Phrase phrase(const Snapshot& snapshot, int rank) {
  const RankState& state = snapshot.ranks[static_cast<std::size_t>(rank)];
  switch (state.life) {
    case Life::starting:
      if (state.is_connecting())
        return {fmt::format("is connecting to {}, for", to_whom(state)), "so far"};
      if (is_to_begin(state)) break;
      if (state.elsewhere) return {"is on another node", "", false};
      return {"has not called armature::run yet", "", false};
    case Life::finished:
      return {"has finished", "", false};
    case Life::dead:
      return {"is dead", "", false};
    case Life::running:
    case Life::leaving:
      break;
  }
  if (state.process_state == 'T') {
    const std::string remedy = fmt::format("by a signal; kill -CONT {} lets it go on", state.pid);
    return {"is stopped", remedy, false};
  }
  if (state.process_state == 't') return {"is held by a debugger", "", false};
  if (waits(state)) return {"waits", awaited(snapshot, state)};
  if (state.runs_instead >= 0)
    return {"has been ready",
            fmt::format(", while rank {} of its process has its turn", state.runs_instead)};
  if (state.life == Life::leaving) return {"has been leaving the job for", ""};
  return outside_armature(state);
}

std::string in_short(const RankState& state) {
  switch (state.life) {
    case Life::starting:
      if (state.is_connecting()) return "is connecting to " + to_whom(state);
      if (is_to_begin(state)) break;
      return state.elsewhere ? "is on another node" : "has not called armature::run yet";
    case Life::finished:
      return "has finished";
    case Life::dead:
      return "is dead";
    case Life::running:
    case Life::leaving:
      break;
  }
  if (state.process_state == 'T') return "is stopped by a signal";
  if (state.process_state == 't') return "is held by a debugger";
  if (waits(state)) return "waits";
  if (state.runs_instead >= 0) return "is ready to run";
  return state.process_state == 'S' ? "is asleep outside Armature" : "runs without waiting";
}

std::vector<int> waits_on(const Snapshot& snapshot, int rank, std::size_t count_max) {
  const RankState& state = snapshot.ranks[static_cast<std::size_t>(rank)];
  if (waits_for_its_turn(snapshot, state)) return {state.runs_instead};
  if (!goes_on_waiting(state)) return {};
  if (state.round) {
    const std::vector<int>& all = state.round->missing;
    return {all.begin(),
            all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), count_max))};
  }
  if (state.wait.awaiting == Awaiting::exit) {
    std::vector<int> others;
    const int ranks = static_cast<int>(snapshot.ranks.size());
    for (int other = 0; other < ranks && others.size() < count_max; ++other) {
      const Life life = snapshot.ranks[static_cast<std::size_t>(other)].life;
      if (life == Life::starting || life == Life::running) others.push_back(other);
    }
    return others;
  }
  if (state.is_connecting() && state.wait.peer < 0) {
    std::vector<int> others;
    const int ranks = static_cast<int>(snapshot.ranks.size());
    for (int other = 0; other < ranks && others.size() < count_max; ++other)
      if (snapshot.ranks[static_cast<std::size_t>(other)].is_awaited_by_all())
        others.push_back(other);
    return others;
  }
  const int peer = state.wait.peer;
  if (peer < 0 || static_cast<std::size_t>(peer) >= snapshot.ranks.size()) return {};
  return {peer};
}

bool goes_on_waiting(const RankState& state) {
  return waits(state) && !state.moving && !state.is_ready;
}

bool waits_for_its_turn(const Snapshot& snapshot, const RankState& state) {
  const bool may_run =
      state.life == Life::running || state.life == Life::leaving || is_to_begin(state);
  return may_run && state.is_ready && !state.moving && state.runs_instead >= 0 &&
         static_cast<std::size_t>(state.runs_instead) < snapshot.ranks.size() &&
         !waits(snapshot.ranks[static_cast<std::size_t>(state.runs_instead)]);
}

bool needs_their_calls(const RankState& state) {
  // Whom it connects to has called armature::run; whom it waits for besides has not.
  const bool connects = state.is_connecting() && state.wait.peer >= 0;
  return state.is_ready || (state.wait.awaiting != Awaiting::completion && !connects);
}

bool waits_on_anyone(const RankState& state) {
  const bool takes_anyones = state.wait.awaiting == Awaiting::request ||
                             (state.wait.awaiting == Awaiting::message && state.wait.peer < 0);
  return goes_on_waiting(state) && takes_anyones;
}

}  // namespace armature::command

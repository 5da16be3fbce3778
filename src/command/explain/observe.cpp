#include "command/explain/observe.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "base/clock.hpp"
#include "base/process_stat.hpp"
#include "command/explain/rank_list.hpp"
#include "space/team_block.hpp"

namespace armature::command {
namespace {

using space::Awaiting;
using space::Life;

/// A wait record as its rank wrote it; the last attempt where the rank changes it all the time.
Wait read_wait(const space::WaitRecord& record) {
  constexpr int attempts_max = 1000;
  Wait wait;
  for (int attempt = 0; attempt < attempts_max; ++attempt) {
    wait.sequence = record.sequence.load(std::memory_order_acquire);
    wait.awaiting = record.waits_for();
    wait.peer = record.peer.load(std::memory_order_relaxed);
    wait.team = record.team.load(std::memory_order_relaxed);
    wait.object = record.object.load(std::memory_order_relaxed);
    wait.detail = record.detail.load(std::memory_order_relaxed);
    wait.since_ns = record.since_ns.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (wait.sequence % 2 == 0 &&
        wait.sequence == record.sequence.load(std::memory_order_relaxed)) {
      break;
    }
  }
  if (wait.awaiting == Awaiting::nothing)
    return {.since_ns = wait.since_ns, .sequence = wait.sequence};
  return wait;
}

/// The state of the thread that runs the rank, or of the process while none does.
char process_state(int pid, int tid) {
  return base::process_stat(pid, tid).value_or(base::ProcessStat{}).state;
}

std::uint64_t round_of(space::TeamBlock& block, std::uint32_t member) {
  return std::max(
      block.line(member, 0).round.load(std::memory_order_relaxed) & ~space::MemberLine::gave_up,
      block.line(member, 1).round.load(std::memory_order_relaxed) & ~space::MemberLine::gave_up);
}

/// Whether that member has come to the wave; what it said there is added.
bool add_tally(Round& round, const space::FenceLine& line, const Wait& wait) {
  if (line.wave.load(std::memory_order_relaxed) < wait.detail) return false;
  round.sent += line.sent.load(std::memory_order_relaxed);
  round.executed += line.executed.load(std::memory_order_relaxed);
  return true;
}

/// Whether it waits for one member in a pipelined round.
bool is_pipelined(const Wait& wait) {
  return wait.awaiting == Awaiting::collective && space::PipelinedLine::is_one(wait.detail);
}

/// Finds out who has entered the round a rank waits for, from the block of its team.
std::shared_ptr<Round> read_round(const space::ControlHeader& header, const SegmentFiles& segments,
                                  const Wait& wait) {
  space::TeamBlock head;
  if (!segments.read(header, wait.object, &head, sizeof head)) return nullptr;
  if (head.magic != space::TeamBlock::expected_magic || head.size == 0 ||
      head.size > header.ranks) {
    return nullptr;
  }
  const std::size_t bytes = space::TeamBlock::head_bytes(head.size);
  const auto copy = std::unique_ptr<std::byte[], decltype(&std::free)>(
      static_cast<std::byte*>(std::aligned_alloc(alignof(space::TeamBlock), bytes)), &std::free);
  if (!copy || !segments.read(header, wait.object, copy.get(), bytes)) return nullptr;

  auto& block = *reinterpret_cast<space::TeamBlock*>(copy.get());
  block.size = head.size;  // the layout depends on it: the one that was checked
  auto round = std::make_shared<Round>();
  if (is_pipelined(wait)) {
    // The one member whose line is waited for; it notifies as soon as it has entered.
    const std::uint32_t member = space::PipelinedLine::of(wait.detail).member;
    const int rank = member < head.size ? block.ranks()[member] : -1;
    if (rank < 0 || static_cast<std::uint32_t>(rank) >= header.ranks) return nullptr;
    round->missing.push_back(rank);
    return round;
  }
  for (std::uint32_t member = 0; member < head.size; ++member) {
    const int rank = block.ranks()[member];
    if (rank < 0 || static_cast<std::uint32_t>(rank) >= header.ranks) return nullptr;
    const bool has_entered = wait.awaiting == Awaiting::fence
                                 ? add_tally(*round, block.fence_line(member, wait.detail), wait)
                                 : round_of(block, member) >= wait.detail;
    if (!has_entered) round->missing.push_back(rank);
  }
  return round;
}

/// The slots of processes as the block of their own node has them. Those of other nodes are read
/// once.
class ProcessSlots {
 public:
  ProcessSlots(const space::Control& control, const SegmentFiles& files)
      : control_(control), files_(files) {}

  /// nullptr where that node's block cannot be read.
  const space::ProcessSlot* of(int node, int process) {
    const space::ProcessSlot& here = control_.process(process);
    const auto number = static_cast<std::size_t>(node);
    if (node == control_.header().node || number >= files_.controls.size()) return &here;
    const auto [at, is_new] = read_.try_emplace({node, process});
    if (is_new) at->second = read(files_.controls[number], here);
    return at->second.get();
  }

 private:
  [[nodiscard]] std::unique_ptr<space::ProcessSlot> read(int file,
                                                         const space::ProcessSlot& here) const {
    auto copy = std::make_unique<space::ProcessSlot>();
    const auto offset = reinterpret_cast<const std::byte*>(&here) - control_.start;
    const bool is_read = pread(file, static_cast<void*>(copy.get()), sizeof *copy, offset) ==
                         static_cast<ssize_t>(sizeof *copy);
    return is_read ? std::move(copy) : nullptr;
  }

  const space::Control& control_;
  const SegmentFiles& files_;
  std::map<std::pair<int, int>, std::unique_ptr<space::ProcessSlot>> read_;  // by node and process
};

NetworkSeen network_of(const space::ProcessSlot& process) {
  NetworkSeen seen;
  seen.server_polls = process.network.server_polls.load(std::memory_order_relaxed) != 0;
  for (std::size_t i = 0; i < network_counts.size(); ++i)
    seen.counts[i] = (process.network.*network_counts[i].place).load(std::memory_order_relaxed);
  return seen;
}

bool is_round(Awaiting awaiting) {
  return awaiting == Awaiting::barrier || awaiting == Awaiting::collective ||
         awaiting == Awaiting::exit;
}

/// The rounds that ranks wait for, each read once: all of a team may wait for one, and to read it
/// takes as long as the team is large.
class Rounds {
 public:
  explicit Rounds(const space::ControlHeader& header) : header_(header) {}

  std::shared_ptr<const Round> of(const Wait& wait, int node, const SegmentFiles& segments) {
    const bool is_fence = wait.awaiting == Awaiting::fence;
    if (!is_fence && !is_round(wait.awaiting)) return nullptr;
    const auto [at, is_new] =
        read_.try_emplace({node, is_fence, wait.team, wait.object, wait.detail});
    if (is_new) at->second = read_round(header_, segments, wait);
    return at->second;
  }

  /// A node may not have heard yet of members that have entered, as news of them comes by others
  /// that have not. Those wait there themselves.
  void strike_who_waits_there(const Snapshot& snapshot) {
    for (const auto& [key, round] : read_) {
      if (!round) continue;
      const auto& [node, is_fence, team, object, detail] = key;
      std::erase_if(round->missing, [&](int rank) {
        const Wait& theirs = snapshot.ranks[static_cast<std::size_t>(rank)].wait;
        const bool same_kind =
            is_fence ? theirs.awaiting == Awaiting::fence : is_round(theirs.awaiting);
        return same_kind && theirs.team == team && theirs.detail >= detail &&
               is_pipelined(theirs) == space::PipelinedLine::is_one(detail);
      });
      round->missing_in_words = rank_list(round->missing);
    }
  }

 private:
  // A key: the node, whether it is a fence, the team, its block, and which round or wave.
  using Key = std::tuple<int, bool, std::uint32_t, std::uint64_t, std::uint64_t>;

  const space::ControlHeader& header_;
  std::map<Key, std::shared_ptr<Round>> read_;
};

/// The states of threads, each asked once: one may run many virtual ranks.
class Threads {
 public:
  char state(int pid, int tid) {
    const auto [at, is_new] = states_.try_emplace({pid, tid});
    if (is_new) at->second = process_state(pid, tid);
    return at->second;
  }

 private:
  std::map<std::pair<int, int>, char> states_;
};

}  // namespace

Snapshot observe(const space::Control& control, const SegmentFiles& files) {
  const space::ControlHeader& header = control.header();
  Snapshot snapshot{.now_ns = base::now_ns(),
                    .started_ns = header.started_ns,
                    .segment_base = header.layout.segment_base,
                    .segment_bytes = header.layout.segment_bytes,
                    .processes = header.processes,
                    .ranks = {},
                    .learned = {}};
  std::vector<TeamPlace> teams = {place_of_world(header)};
  Rounds rounds(header);
  Threads threads;
  ProcessSlots slots(control, files);
  for (int rank = 0; rank < static_cast<int>(header.ranks); ++rank) {
    const space::RankSlot& slot = control.slot(rank);
    const SegmentFiles segments = files.of_node(header, slot.node);
    RankState state;
    state.life = slot.life.load(std::memory_order_acquire);
    state.pid = slot.pid.load(std::memory_order_relaxed);
    state.tid = slot.tid.load(std::memory_order_relaxed);
    state.process = slot.process;
    state.wait = read_wait(slot.wait);
    const space::ProcessSlot* const process = header.ranks_are_virtual != 0 || header.nodes > 1
                                                  ? slots.of(slot.node, state.process)
                                                  : nullptr;
    if (header.ranks_are_virtual != 0) {
      // The rank whose turn it is there. -1: nobody's.
      const int running =
          process != nullptr ? process->running.load(std::memory_order_relaxed) : -1;
      state.runs_instead = running != rank ? running : -1;
      // Behind a wait with others its slot may still say that it waits.
      state.is_ready = running != rank &&
                       (state.wait.awaiting == space::Awaiting::nothing ||
                        slot.asleep.load(std::memory_order_relaxed) != space::ParkState::waits);
    }
    if (header.nodes > 1 && process != nullptr) {
      state.connections = process->connections.load(std::memory_order_relaxed);
      state.network = network_of(*process);
    }
    state.elsewhere = slot.node != header.node && state.pid == 0;
    state.process_state = threads.state(state.pid, state.tid);
    if (state.is_connecting()) state.is_ready = false;
    state.round = rounds.of(state.wait, slot.node, segments);
    if (is_round(state.wait.awaiting)) teams.push_back({slot.node, state.wait.object});
    if (state.life == Life::running || state.life == Life::leaving) {
      state.pending = read_pending(header, segments, rank);
    }
    snapshot.ranks.push_back(std::move(state));
  }
  rounds.strike_who_waits_there(snapshot);
  snapshot.learned = read_learned(header, files, teams);
  return snapshot;
}

void mark_moving(Snapshot& now, const Snapshot& earlier) {
  for (std::size_t rank = 0; rank < std::min(now.ranks.size(), earlier.ranks.size()); ++rank) {
    RankState& state = now.ranks[rank];
    state.moving = state.wait.sequence != earlier.ranks[rank].wait.sequence ||
                   state.life != earlier.ranks[rank].life ||
                   (state.is_ready && state.runs_instead != earlier.ranks[rank].runs_instead);
  }
}

}  // namespace armature::command

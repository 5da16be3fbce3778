#include "bootstrap/explain/explain.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "bootstrap/explain/knots.hpp"
#include "bootstrap/explain/phrase.hpp"

// From what each rank does to why the job does not move. Three answers are certain: ranks that wait
// for each other; a rank that waits for one that has finished or died; a wait for "anyone" when
// nobody is left who could act. Otherwise the others are kept by ranks that do something else, and
// those are named.
//
// There are two graphs of who waits for whom, as a wait for an operation on a rank's memory needs
// that rank's process and nothing that the rank does: two ranks that wait so for each other are no
// deadlock, only slow, or served by a process that does not run.

namespace armature::bootstrap {
namespace {

using space::Awaiting;
using space::Life;

const RankState& state_of(const Snapshot& snapshot, int rank) {
  return snapshot.ranks[static_cast<std::size_t>(rank)];
}

bool gone(const RankState& state) {
  return state.life == Life::finished || state.life == Life::dead;
}

const char* verb(const std::vector<int>& ranks, const char* singular, const char* plural) {
  return ranks.size() == 1 ? singular : plural;
}

/// A rank "waits", ranks "wait".
std::string plural(const std::string& verb) {
  for (const auto& [one, many] : {std::pair{"has", "have"}, {"is", "are"}, {"waits", "wait"}}) {
    const std::string_view first(one);
    if (verb.starts_with(first)) return many + verb.substr(first.size());
  }
  return verb;
}

std::string upper_first(std::string sentence) {
  if (!sentence.empty() && sentence[0] >= 'a' && sentence[0] <= 'z') {
    sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
  }
  return sentence;
}

/// Its process does not run, so that not even operations on its memory complete.
bool stands_still(const RankState& state) {
  return gone(state) || state.process_state == 'T' || state.process_state == 't' || state.elsewhere;
}

/// Who waits for whose calls; and for whom besides, as its process would have to run.
struct Graphs {
  WaitGraph calls, all;
};

Graphs graphs_of(const Snapshot& snapshot) {
  Graphs graphs;
  for (int rank = 0; rank < static_cast<int>(snapshot.ranks.size()); ++rank) {
    std::vector<int> on = waits_on(snapshot, rank);
    const bool calls = needs_their_calls(state_of(snapshot, rank));
    graphs.calls.push_back(calls ? on : std::vector<int>());
    if (!calls)
      std::erase_if(on, [&](int target) { return !stands_still(state_of(snapshot, target)); });
    graphs.all.push_back(std::move(on));
  }
  return graphs;
}

/// Sentences about ranks, gathered so that ranks to whom the same happens share one.
class Findings {
 public:
  Findings(const Snapshot& snapshot, const Graphs& graphs, Explanation& out)
      : snapshot_(snapshot), calls_(graphs.calls), edges_(graphs.all), out_(out) {}

  void find() {
    find_knots();
    find_waits_for_the_gone();
    find_waits_for_anyone();
    find_who_keeps_the_others();
  }

 private:
  void say(const std::string& sentence) { out_.findings.push_back(upper_first(sentence)); }

  void find_knots() {
    for (const auto& knot : knots(calls_)) {
      out_.hopeless = true;
      if (knot.size() == 1) {
        say(fmt::format("{} waits for itself: a deadlock.", rank_list(knot)));
      } else {
        say(fmt::format("{} wait for each other: a deadlock. {}", rank_list(knot), remedy(knot)));
      }
      blocked_.insert(blocked_.end(), knot.begin(), knot.end());
    }
    if (blocked_.empty()) return;
    if (const auto others = dependents(calls_, blocked_); !others.empty()) {
      say(fmt::format("{} {}, directly or through others, for those.", rank_list(others),
                      verb(others, "waits", "wait")));
      blocked_.insert(blocked_.end(), others.begin(), others.end());
    }
  }

  [[nodiscard]] std::string remedy(const std::vector<int>& knot) const {
    const auto all_in = [&](Awaiting what) {
      return std::all_of(knot.begin(), knot.end(),
                         [&](int rank) { return state_of(snapshot_, rank).wait.awaiting == what; });
    };
    if (all_in(Awaiting::mutex)) return "Lock mutexes in the same order everywhere.";
    if (all_in(Awaiting::message)) return "One of them must send before it receives.";
    std::vector<int> returned;
    std::copy_if(knot.begin(), knot.end(), std::back_inserter(returned),
                 [&](int rank) { return state_of(snapshot_, rank).life == Life::leaving; });
    if (returned.size() == knot.size())
      return "All have returned, but some have called a barrier more often than others.";
    if (!returned.empty())
      return fmt::format("{} {} returned already, without a call in which the others wait for {}.",
                         upper_first(rank_list(returned)), verb(returned, "has", "have"),
                         verb(returned, "it", "them"));
    return upper_first(chain_of(knot)) + ".";
  }

  /// What each does; those who do the same together.
  [[nodiscard]] std::string chain_of(const std::vector<int>& knot) const {
    std::vector<std::pair<Phrase, std::vector<int>>> groups;
    for (int rank : knot) {
      Phrase doing = phrase(snapshot_, rank);
      const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
        return group.first.verb == doing.verb && group.first.object == doing.object;
      });
      if (same == groups.end())
        groups.emplace_back(std::move(doing), std::vector<int>{rank});
      else
        same->second.push_back(rank);
    }
    std::string chain;
    for (const auto& [doing, ranks] : groups)
      chain += fmt::format("{}{} {} {}", chain.empty() ? "" : "; ", rank_list(ranks),
                           ranks.size() == 1 ? doing.verb : plural(doing.verb), doing.object);
    return chain;
  }

  void find_waits_for_the_gone() {
    for (int target = 0; target < static_cast<int>(edges_.size()); ++target) {
      const RankState& state = state_of(snapshot_, target);
      if (!gone(state)) continue;
      std::vector<int> waiting;
      for (int rank = 0; rank < static_cast<int>(edges_.size()); ++rank) {
        const auto& on = edges_[static_cast<std::size_t>(rank)];
        if (std::find(on.begin(), on.end(), target) != on.end()) waiting.push_back(rank);
      }
      if (waiting.empty()) continue;
      out_.hopeless = true;
      say(fmt::format("{} {} for rank {}, which {}: that can never end.", rank_list(waiting),
                      verb(waiting, "waits", "wait"), target, in_short(state)));
      blocked_.insert(blocked_.end(), waiting.begin(), waiting.end());
      const auto others = dependents(edges_, blocked_);
      blocked_.insert(blocked_.end(), others.begin(), others.end());
    }
  }

  void find_waits_for_anyone() {
    std::vector<int> waiting;
    bool somebody_may_act = false;
    for (int rank = 0; rank < static_cast<int>(edges_.size()); ++rank) {
      const RankState& state = state_of(snapshot_, rank);
      if (waits_on_anyone(state)) {
        waiting.push_back(rank);
      } else if (!gone(state) && !is_blocked(rank)) {
        // Who waits for one of the waiting can do nothing for them either.
        somebody_may_act |= edges_[static_cast<std::size_t>(rank)].empty();
      }
    }
    if (waiting.empty() || somebody_may_act) return;
    out_.hopeless = true;
    say(fmt::format(
        "{} {} for a message from anyone, but all others wait or are gone: nobody is left "
        "to send one.",
        rank_list(waiting), verb(waiting, "waits", "wait")));
    blocked_.insert(blocked_.end(), waiting.begin(), waiting.end());
  }

  void find_who_keeps_the_others() {
    for (int rank = 0; rank < static_cast<int>(edges_.size()); ++rank) {
      const RankState& state = state_of(snapshot_, rank);
      const bool free =
          edges_[static_cast<std::size_t>(rank)].empty() && !gone(state) && !is_blocked(rank);
      if (!free) continue;
      const auto waiting = dependents(edges_, {rank});
      if (waiting.empty()) continue;
      say(fmt::format("{} {}, directly or through others, for rank {}, which {}.",
                      rank_list(waiting), verb(waiting, "waits", "wait"), rank,
                      state.moving ? "is moving" : in_short(state)));
    }
  }

  [[nodiscard]] bool is_blocked(int rank) const {
    return std::find(blocked_.begin(), blocked_.end(), rank) != blocked_.end();
  }

  const Snapshot& snapshot_;
  const WaitGraph& calls_;
  const WaitGraph& edges_;
  Explanation& out_;
  std::vector<int> blocked_;  // of whom it is already said that they cannot go on
};

RankLine line_of(const Snapshot& snapshot, int rank) {
  const RankState& state = state_of(snapshot, rank);
  const Phrase doing = phrase(snapshot, rank);
  RankLine line{.rank = rank,
                .pid = state.pid,
                .process = state.process,
                .thread = snapshot.processes < snapshot.ranks.size() ? state.tid : 0,
                .verb = doing.verb,
                .seconds = -1,
                .object = doing.object,
                .waits_on = waits_on(snapshot, rank),
                .pending = state.pending};
  if (doing.timed) {
    const std::uint64_t since = std::max(state.wait.since_ns, snapshot.started_ns);
    line.seconds =
        snapshot.now_ns > since ? static_cast<double>(snapshot.now_ns - since) * 1e-9 : 0.0;
  }
  return line;
}

/// "rank 3 has not taken yet: messages of rank 1; notifies of ranks 0 and 2".
std::string untaken(const RankLine& line) {
  std::string result = fmt::format("rank {} has not taken yet: ", line.rank);
  const auto& [messages, notifies] = line.pending;
  if (!messages.empty()) result += "messages of " + rank_list(messages);
  if (!notifies.empty()) {
    result += (messages.empty() ? "notifies of " : "; notifies of ") + rank_list(notifies);
  }
  return result;
}

}  // namespace

Explanation explain(const Snapshot& snapshot) {
  Explanation explanation;
  for (int rank = 0; rank < static_cast<int>(snapshot.ranks.size()); ++rank) {
    explanation.lines.push_back(line_of(snapshot, rank));
    explanation.waiting |= explanation.lines.back().verb == "waits";
  }
  Findings(snapshot, graphs_of(snapshot), explanation).find();
  return explanation;
}

std::string text(const Explanation& explanation, const std::string& indent) {
  // Ranks that do the same share a line; the longest time stands for all.
  struct Group {
    std::vector<int> ranks;
    RankLine line;
  };
  std::vector<Group> groups;
  for (const RankLine& line : explanation.lines) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return group.line.verb == line.verb && group.line.object == line.object;
    });
    if (same == groups.end()) {
      groups.push_back({{line.rank}, line});
    } else {
      same->ranks.push_back(line.rank);
      same->line.seconds = std::max(same->line.seconds, line.seconds);
    }
  }

  std::string result;
  for (const Group& group : groups) {
    const RankLine& line = group.line;
    std::string who = rank_list(group.ranks);
    if (group.ranks.size() == 1 && line.pid > 0)
      who += line.thread > 0 ? fmt::format(" (pid {}, thread {})", line.pid, line.thread)
                             : fmt::format(" (pid {})", line.pid);
    result += fmt::format("{}{}  {}", indent, who,
                          group.ranks.size() == 1 ? line.verb : plural(line.verb));
    if (line.seconds >= 0) result += fmt::format(" {}", duration(line.seconds));
    if (!line.object.empty()) result += (line.object[0] == ',' ? "" : " ") + line.object;
    result += '\n';
  }
  for (const RankLine& line : explanation.lines) {
    if (!line.pending.none()) result += indent + untaken(line) + '\n';
  }
  for (const auto& finding : explanation.findings) result += indent + "=> " + finding + '\n';
  return result;
}

}  // namespace armature::bootstrap

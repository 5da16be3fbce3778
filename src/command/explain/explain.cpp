#include "command/explain/explain.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "command/explain/phrase.hpp"
#include "command/explain/wait_cycles.hpp"

// Explains, from what each rank does, why the job does not move. Three answers are certain. Ranks
// may wait for each other; a rank may wait for one that has finished or died; a wait may be for
// "anyone" when nobody is left who could act. Otherwise the others are kept by ranks that do
// something else, and those are named.
//
// There are two graphs of who waits for whom. A wait for an operation on a rank's memory needs that
// rank's process and nothing that the rank does. Two ranks that wait so for each other are no
// deadlock, only slow, or served by a process that does not run.

namespace armature::command {
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
  for (const auto& [one, many] :
       {std::pair{"has", "have"}, {"is", "are"}, {"waits", "wait"}, {"runs", "run"}}) {
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

/// The rank's process does not run, so that not even operations on its memory complete.
bool is_blocked_for_good(const RankState& state) {
  return gone(state) || state.process_state == 'T' || state.process_state == 't' || state.elsewhere;
}

/// Edges from each waiter: to those whose calls it waits for; and in `all` also to those whose
/// process would have to run.
struct Graphs {
  WaitGraph calls, all;
};

Graphs graphs_of(const Snapshot& snapshot) {
  const int ranks = static_cast<int>(snapshot.ranks.size());
  Graphs graphs;
  auto& calls = graphs.calls.edges;
  calls.resize(snapshot.ranks.size());
  std::map<std::pair<bool, const Round*>, std::size_t> meetings;
  for (int rank = 0; rank < ranks; ++rank) {
    const RankState& state = state_of(snapshot, rank);
    if (!needs_their_calls(state)) continue;
    std::vector<int> on;
    const bool for_all = state.wait.awaiting == Awaiting::exit || state.is_connecting();
    if (goes_on_waiting(state) && (state.round || for_all)) {
      const auto [meeting, is_new] =
          meetings.try_emplace({state.is_connecting(), state.round.get()}, calls.size());
      if (is_new) calls.push_back(waits_on(snapshot, rank));
      if (!calls[meeting->second].empty()) on = {static_cast<int>(meeting->second)};
    } else {
      on = waits_on(snapshot, rank);
    }
    calls[static_cast<std::size_t>(rank)] = std::move(on);
  }
  graphs.calls.ranks = ranks;
  graphs.all = graphs.calls;
  for (int rank = 0; rank < ranks; ++rank) {
    if (needs_their_calls(state_of(snapshot, rank))) continue;
    std::vector<int> on = waits_on(snapshot, rank);
    std::erase_if(on, [&](int target) { return !is_blocked_for_good(state_of(snapshot, target)); });
    graphs.all.edges[static_cast<std::size_t>(rank)] = std::move(on);
  }
  return graphs;
}

/// Groups ranks with the same key, in the order of the first of each.
template <class KeyOf>
std::vector<std::vector<int>> grouped(const std::vector<int>& ranks, const KeyOf& key_of) {
  std::map<decltype(key_of(0)), std::size_t> numbers;
  std::vector<std::vector<int>> groups;
  for (int rank : ranks) {
    const auto [at, is_new] = numbers.try_emplace(key_of(rank), groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(rank);
  }
  return groups;
}

std::vector<int> numbers_below(std::size_t count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// Sentences about ranks, gathered so that ranks to whom the same happens share one.
class Findings {
 public:
  Findings(const Snapshot& snapshot, const Graphs& graphs, Explanation& out)
      : snapshot_(snapshot),
        graphs_(graphs),
        all_(numbers_below(snapshot.ranks.size())),
        waiting_(graphs.all),
        out_(out),
        blocked_(snapshot.ranks.size(), false) {}

  void find() {
    find_wait_cycles();
    find_waits_for_the_gone();
    find_waits_for_anyone();
    find_who_keeps_the_others();
    find_who_has_the_turn();
  }

 private:
  void say(const std::string& sentence) { out_.findings.push_back(upper_first(sentence)); }

  void find_wait_cycles() {
    std::vector<int> tied;
    for (const auto& cycle : wait_cycles(graphs_.calls)) {
      out_.hopeless = true;
      if (cycle.size() == 1) {
        say(fmt::format("{} waits for itself: a deadlock.", rank_list(cycle)));
      } else {
        say(fmt::format("{} wait for each other: a deadlock. {}", rank_list(cycle), remedy(cycle)));
      }
      tied.insert(tied.end(), cycle.begin(), cycle.end());
    }
    if (tied.empty()) return;
    block(tied);
    if (const auto others = Waiting(graphs_.calls).at_all(tied); !others.empty()) {
      say(fmt::format("{} {}, directly or through others, for those.", rank_list(others),
                      verb(others, "waits", "wait")));
      block(others);
    }
  }

  [[nodiscard]] std::string remedy(const std::vector<int>& cycle) const {
    const auto all_in = [&](Awaiting what) {
      return std::all_of(cycle.begin(), cycle.end(),
                         [&](int rank) { return state_of(snapshot_, rank).wait.awaiting == what; });
    };
    if (all_in(Awaiting::mutex)) return "Lock mutexes in the same order everywhere.";
    if (all_in(Awaiting::message)) return "One of them must send before it receives.";
    std::vector<int> returned;
    std::copy_if(cycle.begin(), cycle.end(), std::back_inserter(returned),
                 [&](int rank) { return state_of(snapshot_, rank).life == Life::leaving; });
    if (returned.size() == cycle.size())
      return "All have returned, but some have called a barrier more often than others.";
    if (!returned.empty())
      return fmt::format("{} {} returned already, without a call in which the others wait for {}.",
                         upper_first(rank_list(returned)), verb(returned, "has", "have"),
                         verb(returned, "it", "them"));
    return upper_first(chain_of(cycle)) + ".";
  }

  /// Says what each does; those who do the same together.
  [[nodiscard]] std::string chain_of(const std::vector<int>& cycle) const {
    constexpr int clauses_max = 40;
    const auto groups = grouped(cycle, [&](int rank) {
      Phrase doing = phrase(snapshot_, rank);
      return std::pair(std::move(doing.verb), std::move(doing.object));
    });
    std::string chain;
    int clauses = 0;
    for (const auto& ranks : groups) {
      if (clauses++ == clauses_max) return chain + "; and so on";
      const Phrase doing = phrase(snapshot_, ranks.front());
      chain += fmt::format("{}{} {} {}", chain.empty() ? "" : "; ", rank_list(ranks),
                           ranks.size() == 1 ? doing.verb : plural(doing.verb), doing.object);
    }
    return chain;
  }

  [[nodiscard]] std::string doing(int rank) const {
    const RankState& state = state_of(snapshot_, rank);
    return state.moving && !gone(state) ? "is moving" : in_short(state);
  }

  /// Groups ranks of which the same is to be said: they do the same, and the same wait for them.
  /// Where that would be very many sentences, all that do the same share one.
  [[nodiscard]] std::vector<std::vector<int>> alike(const std::vector<int>& ranks) const {
    constexpr std::size_t sentences_max = 40;
    auto groups =
        grouped(ranks, [&](int rank) { return std::pair(doing(rank), waiting_.next_to(rank)); });
    if (groups.size() > sentences_max)
      groups = grouped(ranks, [&](int rank) { return doing(rank); });
    return groups;
  }

  /// "rank 2, which computes"
  [[nodiscard]] std::string with_what_they_do(const std::vector<int>& ranks) const {
    const std::string does = doing(ranks.front());
    return fmt::format("{}, which {}", rank_list(ranks), ranks.size() == 1 ? does : plural(does));
  }

  [[nodiscard]] bool somebody_waits_for(int rank) const { return !waiting_.next_to(rank).empty(); }

  void find_waits_for_the_gone() {
    std::vector<int> targets;
    std::copy_if(all_.begin(), all_.end(), std::back_inserter(targets), [&](int rank) {
      return gone(state_of(snapshot_, rank)) && somebody_waits_for(rank);
    });
    if (targets.empty()) return;
    out_.hopeless = true;
    for (const auto& group : alike(targets)) {
      const auto waiting = waiting_.directly(group);
      say(fmt::format("{} {} for {}: that can never end.", rank_list(waiting),
                      verb(waiting, "waits", "wait"), with_what_they_do(group)));
      block(waiting);
    }
    std::vector<int> blocked;
    std::copy_if(all_.begin(), all_.end(), std::back_inserter(blocked),
                 [&](int rank) { return is_blocked(rank); });
    block(waiting_.at_all(blocked));
  }

  void find_waits_for_anyone() {
    std::vector<int> waiting;
    bool somebody_may_act = false;
    for (int rank : all_) {
      const RankState& state = state_of(snapshot_, rank);
      if (waits_on_anyone(state))
        waiting.push_back(rank);
      else  // A rank that waits for one of the waiting can do nothing for them either.
        somebody_may_act |= is_free(rank);
    }
    if (waiting.empty() || somebody_may_act) return;
    out_.hopeless = true;
    say(fmt::format(
        "{} {} for a message from anyone, but all others wait or are gone: nobody is left "
        "to send one.",
        rank_list(waiting), verb(waiting, "waits", "wait")));
    block(waiting);
  }

  void find_who_keeps_the_others() {
    std::vector<int> keepers;
    std::copy_if(all_.begin(), all_.end(), std::back_inserter(keepers),
                 [&](int rank) { return is_free(rank) && somebody_waits_for(rank); });
    for (const auto& group : alike(keepers)) {
      const auto waiting = waiting_.at_all(group);
      say(fmt::format("{} {}, directly or through others, for {}.", rank_list(waiting),
                      verb(waiting, "waits", "wait"), with_what_they_do(group)));
    }
  }

  /// Finds who has the turn: nobody takes it from a virtual rank that computes, also where it only
  /// looks at memory.
  void find_who_has_the_turn() {
    std::vector<int> ready, running;
    for (int rank : all_) {
      const RankState& state = state_of(snapshot_, rank);
      if (!waits_for_its_turn(snapshot_, state)) continue;
      ready.push_back(rank);
      running.push_back(state.runs_instead);
    }
    if (ready.empty()) return;
    std::sort(running.begin(), running.end());
    running.erase(std::unique(running.begin(), running.end()), running.end());
    say(fmt::format(
        "{} {} turn, and {}, which {} ready, {} only when {}: a loop that looks at memory until it "
        "changes has to call yield() or rmi_poll().",
        rank_list(running), verb(running, "has its process's", "have their processes'"),
        rank_list(ready), verb(ready, "is", "are"), verb(ready, "runs", "run"),
        verb(running, "it waits or yields", "those wait or yield")));
  }

  /// True when nobody keeps the rank.
  [[nodiscard]] bool is_free(int rank) const {
    return graphs_.all.edges[static_cast<std::size_t>(rank)].empty() &&
           !gone(state_of(snapshot_, rank)) && !is_blocked(rank);
  }
  [[nodiscard]] bool is_blocked(int rank) const { return blocked_[static_cast<std::size_t>(rank)]; }
  void block(const std::vector<int>& ranks) {
    for (int rank : ranks) blocked_[static_cast<std::size_t>(rank)] = true;
  }

  const Snapshot& snapshot_;
  const Graphs& graphs_;
  const std::vector<int> all_;
  const Waiting waiting_;
  Explanation& out_;
  std::vector<bool> blocked_;  // of whom it is already said that they cannot go on
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
                .pending = state.pending,
                .place = {}};
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
  const Graphs graphs = graphs_of(snapshot);
  Findings(snapshot, graphs, explanation).find();
  return explanation;
}

std::string text(const Explanation& explanation, const std::string& indent) {
  // Ranks that do the same share a line; the longest time stands for all.
  const auto line_of = [&](int rank) -> const RankLine& {
    return explanation.lines[static_cast<std::size_t>(rank)];
  };
  const auto groups = grouped(numbers_below(explanation.lines.size()), [&](int rank) {
    return std::pair(std::string_view(line_of(rank).verb), std::string_view(line_of(rank).object));
  });
  std::string result;
  for (const auto& ranks : groups) {
    const RankLine& line = line_of(ranks.front());
    double seconds = line.seconds;
    for (int rank : ranks) seconds = std::max(seconds, line_of(rank).seconds);
    std::string who = rank_list(ranks);
    if (ranks.size() == 1 && line.pid > 0)
      who += line.thread > 0 ? fmt::format(" (pid {}, thread {})", line.pid, line.thread)
                             : fmt::format(" (pid {})", line.pid);
    result +=
        fmt::format("{}{}  {}", indent, who, ranks.size() == 1 ? line.verb : plural(line.verb));
    if (seconds >= 0) result += fmt::format(" {}", duration(seconds));
    if (!line.object.empty()) result += (line.object[0] == ',' ? "" : " ") + line.object;
    result += '\n';
    for (const auto& there :
         grouped(ranks, [&](int rank) { return std::string_view(line_of(rank).place); })) {
      const std::string& place = line_of(there.front()).place;
      if (place.empty()) continue;
      const bool all_are = there.size() == ranks.size();
      result += fmt::format("{}  at {}{}\n", indent, place,
                            all_are ? "" : fmt::format(" ({})", rank_list(there)));
    }
  }
  for (const RankLine& line : explanation.lines) {
    if (!line.pending.none()) result += indent + untaken(line) + '\n';
  }
  for (const auto& finding : explanation.findings) result += indent + "=> " + finding + '\n';
  return result;
}

}  // namespace armature::command

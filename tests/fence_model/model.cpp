#include "model.hpp"

#include <algorithm>

namespace armature::fence_model {

using Progress = State::Progress;

std::size_t Model::line_of(std::uint64_t wave) const {
  return fault_ == Fault::one_line_instead_of_two ? 0 : rmi::Termination::line_of(wave);
}

State Model::initial() const {
  State state;
  for (State::Member& member : state.member) member.detector = Detector(fault_);
  return state;
}

bool Model::is_final(const State& state) const {
  for (int rank = 0; rank < plan_.ranks(); ++rank)
    if (state.member[rank].next < plan_.programs[rank].size()) return false;
  for (std::size_t r = 0; r < plan_.requests.size(); ++r)
    if (state.request[r].progress != Progress::finished) return false;
  return true;
}

// -- What can happen next ------------------------------------------------------------------------

bool Model::may_start(const State& state, int request) const {
  const Request& mine = plan_.requests[request];
  for (std::size_t r = 0; r < plan_.requests.size(); ++r) {
    const Request& other = plan_.requests[r];
    const State::RequestState& of = state.request[r];
    if (!plan_.scenario.nests && other.to == mine.to && of.progress == Progress::running)
      return false;
    if (plan_.scenario.fifo && other.from == mine.from && other.to == mine.to &&
        of.progress == Progress::queued && of.earlier < state.request[request].earlier)
      return false;
  }
  return true;
}

void Model::add_method_steps(const State& state, std::vector<Step>& steps) const {
  for (std::size_t r = 0; r < plan_.requests.size(); ++r) {
    const Request& request = plan_.requests[r];
    const auto add = [&](Step::Kind kind) {
      steps.push_back({kind, static_cast<std::uint8_t>(request.to), static_cast<std::uint8_t>(r)});
    };
    const State::RequestState& of = state.request[r];
    if (of.progress == Progress::queued && may_start(state, static_cast<int>(r)))
      add(Step::Kind::start);
    if (of.progress == Progress::running)
      add(of.sent < request.then.size() ? Step::Kind::send : Step::Kind::finish);
  }
}

bool Model::can_look(const State& state, int rank) const {
  const Detector& detector = state.member[rank].detector;
  if (!detector.under_way()) return false;
  return state.lines[detector.awaited()][line_of(detector.wave())].wave >= detector.wave();
}

std::vector<Step> Model::steps(const State& state) const {
  std::vector<Step> steps;
  for (int rank = 0; rank < plan_.ranks(); ++rank) {
    const auto add = [&](Step::Kind kind) {
      steps.push_back({kind, static_cast<std::uint8_t>(rank), 0});
    };
    const State::Member& member = state.member[rank];
    const std::vector<Operation>& program = plan_.programs[rank];
    if (member.next < program.size() && member.uncounted == 0 &&
        (program[member.next].kind != Operation::Kind::wait || member.left == member.entered))
      add(Step::Kind::operation);
    if (member.uncounted > 0) add(Step::Kind::count);
    if (can_look(state, rank)) add(Step::Kind::look);
  }
  add_method_steps(state, steps);
  return steps;
}

// -- What then happens ---------------------------------------------------------------------------

// The first request of a scenario is the one whose count gets lost.
void Model::send(State& state, int request) const {
  const Request& r = plan_.requests[request];
  State::RequestState& of = state.request[request];
  of.progress = Progress::queued;
  if (plan_.scenario.fifo)
    for (std::size_t other = 0; other < plan_.requests.size(); ++other)
      if (plan_.requests[other].from == r.from && plan_.requests[other].to == r.to &&
          static_cast<int>(other) != request && state.request[other].progress != Progress::unsent)
        ++of.earlier;

  // Every fence that the sender has not entered has to wait for it, and for what it causes.
  for (int fence = state.member[r.from].entered; fence < fences_max; ++fence)
    state.owed[fence] |= plan_.caused_by(request);

  if (!plan_.inside(request) || fault_ == Fault::sent_counted_at_delivery ||
      (fault_ == Fault::sent_count_lost && request == 0))
    return;
  State::Member& sender = state.member[r.from];
  if (fault_ == Fault::sent_counted_after_publishing) {
    ++sender.uncounted;
  } else {
    ++sender.tally.sent;
  }
}

void Model::start(State& state, int request) const {
  const Request& r = plan_.requests[request];
  state.request[request].progress = Progress::running;
  if (!plan_.inside(request)) return;
  if (fault_ == Fault::executed_counted_at_start) ++state.member[r.to].tally.executed;
  if (fault_ == Fault::sent_counted_at_delivery) ++state.member[r.from].tally.sent;
}

void Model::finish(State& state, int request) const {
  const Request& r = plan_.requests[request];
  state.request[request].progress = Progress::finished;
  const bool counts = fault_ != Fault::executed_counted_at_start &&
                      (fault_ != Fault::executed_count_lost || request != 0);
  if (plan_.inside(request) && counts) ++state.member[r.to].tally.executed;
}

// The counters are read and shown in one step: nobody sees them in between.
void Model::show(State& state, int rank) const {
  const std::uint64_t wave = state.member[rank].detector.wave();
  state.lines[rank][line_of(wave)] = {wave, state.member[rank].tally};
}

void Model::enter(State& state, int rank) const {
  State::Member& member = state.member[rank];
  ++member.entered;
  if (member.detector.begin()) show(state, rank);
}

std::optional<std::string> Model::look(State& state, int rank) const {
  using Outcome = Detector::Step;
  bool looked = false;
  bool overtaken = false;
  const auto one_line = [&](int member, std::uint64_t wave) -> std::optional<rmi::Tally> {
    const State::Line& line = state.lines[member][line_of(wave)];
    if (looked || line.wave < wave) return std::nullopt;
    looked = true;
    overtaken = line.wave > wave;
    return line.tally;
  };
  const Outcome outcome = state.member[rank].detector.advance(plan_.members, one_line);
  if (overtaken) return "the line was used again before all had read it";
  if (outcome == Outcome::miscounted) return "more executed than sent";
  if (outcome == Outcome::show) show(state, rank);
  if (outcome == Outcome::finished) return leave(state, rank);
  return std::nullopt;
}

/// Checks the promise of rmi_fence.
std::optional<std::string> Model::leave(State& state, int rank) const {
  State::Member& member = state.member[rank];
  const int fence = member.left++;
  for (int other = 0; other < plan_.members; ++other)
    if (state.member[other].entered <= fence)
      return "rank " + std::to_string(other) + " has not entered";
  for (std::size_t r = 0; r < plan_.requests.size(); ++r)
    if ((state.owed[fence] >> r & 1) != 0 && state.request[r].progress != Progress::finished)
      return "request " + name(static_cast<int>(r)) + " has not been executed";

  std::uint64_t& last = state.last_wave[fence];
  if (last != 0 && last != member.detector.wave()) return "others left at another wave";
  last = member.detector.wave();
  return std::nullopt;
}

std::uint64_t Model::last_wave_begun(const State& state) const {
  std::uint64_t last = 0;
  for (const State::Member& member : state.member) last = std::max(last, member.detector.wave());
  return last;
}

// The tallies stay once only fences have steps to take: the next wave adds them up, the one after
// that finds them equal. Together with the fact that all other steps are finitely many, this makes
// every path end on which no rank is neglected for ever.
std::optional<std::string> Model::judge_quiet(State& state) const {
  const std::vector<Step> next = steps(state);
  const bool quiet = !is_final(state) && std::all_of(next.begin(), next.end(), [](const Step& s) {
    return s.kind == Step::Kind::look;
  });
  if (quiet && next.empty()) return "nobody can go on";
  if (!quiet) {
    state.quiet_since = 0;
  } else if (state.quiet_since == 0) {
    state.quiet_since = last_wave_begun(state);
  } else if (last_wave_begun(state) > state.quiet_since + 2) {
    return "all is quiet, and the fence goes on";
  }
  return std::nullopt;
}

std::optional<std::string> Model::take(State& state, const Step& step) const {
  State::Member& member = state.member[step.rank];
  std::optional<std::string> wrong;
  switch (step.kind) {
    case Step::Kind::operation: {
      const Operation& operation = plan_.programs[step.rank][member.next++];
      if (operation.kind == Operation::Kind::send) send(state, operation.request);
      if (operation.kind == Operation::Kind::fence || operation.kind == Operation::Kind::async)
        enter(state, step.rank);
      break;
    }
    case Step::Kind::start:
      start(state, step.request);
      break;
    case Step::Kind::send:
      send(state, plan_.requests[step.request].then[state.request[step.request].sent++]);
      break;
    case Step::Kind::finish:
      finish(state, step.request);
      break;
    case Step::Kind::count:
      --member.uncounted;
      ++member.tally.sent;
      break;
    case Step::Kind::look:
      wrong = look(state, step.rank);
      break;
  }
  return wrong ? wrong : judge_quiet(state);
}

}  // namespace armature::fence_model

#include <algorithm>

#include "model.hpp"

// States and steps as bytes, to tell them apart, and as text.

namespace armature::fence_model {

using Progress = State::Progress;

namespace {

class Packer {
 public:
  explicit Packer(Model::Key& key) : key_(key) {}
  void add(std::uint64_t value) { key_.at(at_++) = static_cast<std::uint8_t>(value); }
  /// 0 is none.
  void add(const std::optional<std::uint64_t>& value) { add(value ? *value + 1 : 0); }

 private:
  Model::Key& key_;
  std::size_t at_ = 0;
};

std::string text(const rmi::Tally& tally) {
  return "sent " + std::to_string(tally.sent) + ", executed " + std::to_string(tally.executed);
}

}  // namespace

// Waves count from the one that the last member is in; lines of earlier ones will not be read
// again, so what they show is left out.
Model::Key Model::key(const State& state) const {
  std::uint64_t base = last_wave_begun(state);
  for (int m = 0; m < plan_.members; ++m) base = std::min(base, state.member[m].detector.wave());

  Key key{};
  Packer pack(key);
  for (int rank = 0; rank < plan_.ranks(); ++rank) {
    const State::Member& m = state.member[rank];
    pack.add(m.next);
    pack.add(m.tally.sent);
    pack.add(m.tally.executed);
    pack.add(m.uncounted);
    if (rank >= plan_.members) continue;
    pack.add(m.entered);
    pack.add(m.left);
    pack.add(m.detector.wave() - base);
    pack.add(static_cast<std::uint64_t>(m.detector.awaited()));
    pack.add(m.detector.sums().sent);
    pack.add(m.detector.sums().executed);
    pack.add(m.detector.executed_before());
    pack.add(m.detector.sent_before());
    for (std::uint64_t wave = base; wave < base + rmi::Termination::lines; ++wave) {
      const State::Line& line = state.lines[rank][line_of(wave)];
      const bool current = line.wave >= base;
      pack.add(current ? line.wave - base + 1 : 0);
      pack.add(current ? line.tally.sent : 0);
      pack.add(current ? line.tally.executed : 0);
    }
  }
  for (std::size_t r = 0; r < plan_.requests.size(); ++r) {
    const State::RequestState& of = state.request[r];
    pack.add(static_cast<std::uint64_t>(of.progress) * 16 + of.sent);
    if (plan_.scenario.fifo) pack.add(of.earlier);
  }
  // Knowledge of a fence that all have left no longer matters.
  for (int fence = 0; fence < fences_max; ++fence) {
    bool matters = false;
    for (int m = 0; m < plan_.members; ++m) matters |= state.member[m].left <= fence;
    pack.add(matters ? state.owed[fence] : 0);
    pack.add(matters && state.last_wave[fence] != 0 ? state.last_wave[fence] + 16 - base : 0);
  }
  pack.add(state.quiet_since == 0 ? 0 : state.quiet_since + 16 - base);
  return key;
}

std::string Model::name(int request) const { return {plan_.requests[request].name}; }

std::string Model::describe(const State& before, const Step& step, const State& after) const {
  const State::Member& was = before.member[step.rank];
  const State::Member& is = after.member[step.rank];
  const auto sends = [&](int r) {
    return "sends " + name(r) + " to rank " + std::to_string(plan_.requests[r].to);
  };
  const auto shows = [&] {
    const std::uint64_t wave = is.detector.wave();
    return "wave " + std::to_string(wave) + ": shows " +
           text(after.lines[step.rank][line_of(wave)].tally);
  };

  std::string what;
  switch (step.kind) {
    case Step::Kind::operation: {
      const Operation& operation = plan_.programs[step.rank][was.next];
      if (operation.kind == Operation::Kind::send)
        what = sends(operation.request);
      else if (operation.kind == Operation::Kind::wait)
        what = "has waited for the fence";
      else
        what = "enters fence " + std::to_string(is.entered) + ", " + shows();
      break;
    }
    case Step::Kind::start:
      what = "starts " + name(step.request);
      break;
    case Step::Kind::send:
      what = name(step.request) + " " +
             sends(plan_.requests[step.request].then[before.request[step.request].sent]);
      break;
    case Step::Kind::finish:
      what = "has finished " + name(step.request);
      break;
    case Step::Kind::count:
      what = "counts a request that it sent";
      break;
    case Step::Kind::look:
      what = "has seen rank " + std::to_string(was.detector.awaited()) + " in wave " +
             std::to_string(was.detector.wave());
      if (is.left > was.left)
        what += ", leaves fence " + std::to_string(is.left);
      else if (is.detector.wave() > was.detector.wave())
        what += ", " + shows();
      break;
  }
  return "rank " + std::to_string(step.rank) + ": " + what;
}

}  // namespace armature::fence_model

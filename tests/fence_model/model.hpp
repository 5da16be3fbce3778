#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "detector.hpp"
#include "scenario.hpp"

// A job as the fence sees it: requests and how far each has come, counters, lines. Whatever a rank
// may do next is a step; steps of all ranks may follow each other in any order, also those that one
// thread could not take (a rank goes on with its program or its fence while a method runs there):
// methods may wait, and may run in a thread of their own.

namespace armature::fence_model {

struct Step {
  enum class Kind : std::uint8_t {
    operation,  // a rank's program does its next operation
    start,      // a method starts
    send,       // a running method sends its next request
    finish,     // a method is over
    count,      // a fault: a rank counts what it sent before
    look,       // a member looks at the next line it waits for
  };
  Kind kind = Kind::operation;
  std::uint8_t rank = 0;
  std::uint8_t request = 0;
};

struct State {
  enum class Progress : std::uint8_t { unsent, queued, running, finished };

  struct Member {
    Detector detector;
    rmi::Tally tally;
    std::uint8_t next = 0;       // operation of its program
    std::uint8_t entered = 0;    // fences
    std::uint8_t left = 0;       // fences
    std::uint8_t uncounted = 0;  // sent, not yet counted: a fault
  };
  struct Line {
    std::uint64_t wave = 0;
    rmi::Tally tally;
  };
  struct RequestState {
    Progress progress = Progress::unsent;
    std::uint8_t sent = 0;     // of those that its method sends
    std::uint8_t earlier = 0;  // requests from the same rank to the same rank sent before it
  };

  std::array<Member, ranks_max> member;
  std::array<std::array<Line, rmi::Termination::lines>, ranks_max> lines;
  std::array<RequestState, requests_max> request;
  std::array<unsigned, fences_max> owed{};            // requests that a fence has to wait for
  std::array<std::uint64_t, fences_max> last_wave{};  // of a fence, once a member has left it
  std::uint64_t quiet_since = 0;  // the last wave begun before only fences had steps to take
};

class Model {
 public:
  using Key = std::array<std::uint8_t, 104>;

  Model(const Scenario& scenario, Fault fault) : plan_(scenario), fault_(fault) {}

  [[nodiscard]] State initial() const;
  [[nodiscard]] std::vector<Step> steps(const State& state) const;
  /// Takes the step. The result is what is wrong then, if anything.
  std::optional<std::string> take(State& state, const Step& step) const;
  [[nodiscard]] bool is_final(const State& state) const;
  /// Equal for states from which the same can happen: wave numbers are relative.
  [[nodiscard]] Key key(const State& state) const;
  [[nodiscard]] std::string describe(const State& before, const Step& step,
                                     const State& after) const;

 private:
  void add_method_steps(const State& state, std::vector<Step>& steps) const;
  [[nodiscard]] bool may_start(const State& state, int request) const;
  [[nodiscard]] bool can_look(const State& state, int rank) const;
  void send(State& state, int request) const;
  void start(State& state, int request) const;
  void finish(State& state, int request) const;
  void enter(State& state, int rank) const;
  void show(State& state, int rank) const;
  [[nodiscard]] std::optional<std::string> look(State& state, int rank) const;
  [[nodiscard]] std::optional<std::string> leave(State& state, int rank) const;
  [[nodiscard]] std::optional<std::string> judge_quiet(State& state) const;
  [[nodiscard]] std::size_t line_of(std::uint64_t wave) const;
  [[nodiscard]] std::uint64_t last_wave_begun(const State& state) const;
  [[nodiscard]] std::string name(int request) const;

  Plan plan_;
  Fault fault_;
};

}  // namespace armature::fence_model

#include "component_search.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <utility>

#include <armature/clock.hpp>

namespace scc {
namespace {

using Marks = std::uint8_t;
constexpr Marks mark_of(Direction direction) { return direction == Direction::forward ? 1 : 2; }
constexpr Marks marked_both_ways = 3;
constexpr Marks trimmed = 4;

// The low half says who calls, the high half how loud.
using Voice = std::uint64_t;
constexpr Vertex caller(Voice voice) { return static_cast<Vertex>(voice); }

constexpr Vertex none = std::numeric_limits<Vertex>::max();

// A vertex's owner knows this of it, besides its neighbours.
struct VertexState {
  Voice loudest = 0;  // that it has heard
  Vertex component = none;
  std::array<std::uint32_t, 2> left = {};  // on each side, how many neighbours are not trimmed
  Marks marks = 0;

  bool finished() const { return component != none; }
};

// A rank's part in the search. A remote method's `vertex` is one of the rank's own; inside,
// vertices are known by their place.
class Search {
 public:
  explicit Search(const GraphPart& part);
  void introduce(armature::shared_ref<Search> all) { all_ = all; }

  void run(armature::World& world);
  std::vector<Vertex> components() const;
  int rounds() const { return rounds_; }
  std::uint64_t calls() const { return calls_; }

  // Remote methods, one for each step. `side` is where the vertex has the neighbour that calls.
  void lose_neighbour(Vertex vertex, Direction side);
  void hear(Vertex vertex, Voice voice);
  void visit(Vertex vertex, Direction direction);
  void keep_neighbour(Vertex vertex, Direction side, Vertex neighbour, Marks its_marks);

 private:
  void begin_round();
  void trim();
  void elect();
  void mark();
  void drop_finished();
  void cut();

  void trim(std::size_t i, Direction empty_side);
  Voice own_voice(std::size_t i) const;

  // Calls `method` of each neighbour that vertex i has on that side.
  template <class Method, class... Args>
  void tell(std::size_t i, Direction side, Method method, Args... args) {
    for (const Vertex neighbour : neighbours_[index(side)].of(i)) {
      ++calls_;
      all_.async(dealing_.owner(neighbour), method, neighbour, args...);
    }
  }

  armature::shared_ref<Search> all_;
  Dealing dealing_;
  std::vector<std::size_t> remaining_;  // places of vertices that have no component yet
  int rounds_ = 0;
  std::uint64_t calls_ = 0;

  // States by place. Neighbours are those that the round begins with.
  std::vector<VertexState> states_;
  std::array<NeighbourLists, 2> neighbours_;
  std::array<NeighbourLists, 2> kept_;  // the neighbours of the next round
};

Search::Search(const GraphPart& part)
    : dealing_(part.dealing),
      states_(part.dealing.own()),
      neighbours_(part.neighbours),
      kept_(part.neighbours) {
  for (std::size_t i = 0; i < dealing_.own(); ++i) remaining_.push_back(i);
}

std::vector<Vertex> Search::components() const {
  std::vector<Vertex> components;
  for (const VertexState& state : states_) components.push_back(state.component);
  return components;
}

void Search::run(armature::World& world) {
  while (allreduce(world, remaining_.size()) > 0) {
    // A rank that leaves a fence early calls ranks that are still in it. They are ready: what a
    // step's calls need was prepared by begin_round, or by the calls of the steps before. Hence one
    // barrier in a round.
    begin_round();
    world.barrier();
    trim();
    armature::rmi_fence();
    elect();
    armature::rmi_fence();
    mark();
    armature::rmi_fence();
    drop_finished();
    cut();
    armature::rmi_fence();
  }
}

void Search::begin_round() {
  if (++rounds_ > 1) std::swap(neighbours_, kept_);
  for (const std::size_t i : remaining_) {
    VertexState& state = states_[i];
    state.loudest = 0;
    state.marks = 0;
    for (const Direction side : both_directions) {
      state.left[index(side)] = neighbours_[index(side)].count(i);
      kept_[index(side)].clear(i);
    }
  }
}

// -- trim

void Search::trim() {
  for (const std::size_t i : remaining_) {
    for (const Direction side : both_directions) {
      if (states_[i].left[index(side)] == 0 && !states_[i].finished()) trim(i, side);
    }
  }
}

void Search::trim(std::size_t i, Direction empty_side) {
  states_[i].component = dealing_.vertex(i);
  states_[i].marks = trimmed;
  // Neighbours on the other side lose this vertex on the side where it has none itself.
  tell(i, opposite(empty_side), &Search::lose_neighbour, empty_side);
}

void Search::lose_neighbour(Vertex vertex, Direction side) {
  const std::size_t i = dealing_.place(vertex);
  if (--states_[i].left[index(side)] == 0 && !states_[i].finished()) trim(i, side);
}

// -- elect

Voice Search::own_voice(std::size_t i) const {
  const std::uint64_t paths = std::uint64_t{states_[i].left[0]} * states_[i].left[1];
  return std::min<std::uint64_t>(paths, none) << 32 | dealing_.vertex(i);
}

void Search::elect() {
  // The loudest first, and listening after each: the others of the region then need not call.
  std::vector<Voice> voices;
  for (const std::size_t i : remaining_) {
    if (!states_[i].finished()) voices.push_back(own_voice(i));
  }
  std::sort(voices.begin(), voices.end(), std::greater<>());
  for (const Voice voice : voices) {
    hear(caller(voice), voice);
    armature::rmi_poll();
  }
}

void Search::hear(Vertex vertex, Voice voice) {
  const std::size_t i = dealing_.place(vertex);
  VertexState& state = states_[i];
  if (state.finished() || voice <= state.loudest) return;
  state.loudest = voice;
  for (const Direction side : both_directions) tell(i, side, &Search::hear, voice);
}

// -- mark

void Search::mark() {
  for (const std::size_t i : remaining_) {
    const Vertex vertex = dealing_.vertex(i);
    if (states_[i].finished() || caller(states_[i].loudest) != vertex) continue;
    for (const Direction direction : both_directions) visit(vertex, direction);
  }
}

void Search::visit(Vertex vertex, Direction direction) {
  const std::size_t i = dealing_.place(vertex);
  VertexState& state = states_[i];
  if ((state.marks & (mark_of(direction) | trimmed)) != 0) return;
  state.marks |= mark_of(direction);
  if (state.marks == marked_both_ways) state.component = caller(state.loudest);
  tell(i, direction, &Search::visit, direction);
}

// -- cut

void Search::drop_finished() {
  std::erase_if(remaining_, [this](std::size_t i) { return states_[i].finished(); });
}

void Search::cut() {
  for (const std::size_t i : remaining_) {
    for (const Direction side : both_directions) {
      tell(i, side, &Search::keep_neighbour, opposite(side), dealing_.vertex(i), states_[i].marks);
    }
  }
}

void Search::keep_neighbour(Vertex vertex, Direction side, Vertex neighbour, Marks its_marks) {
  const std::size_t i = dealing_.place(vertex);
  if (states_[i].marks == its_marks) kept_[index(side)].add(i, neighbour);
}

double seconds_now() {
  return 1e-9 * static_cast<double>(armature::clock_ns());  // in a simulation, by its clock
}

}  // namespace

SearchResult find_components(armature::World& world, const GraphPart& part) {
  armature::shared<Search> search(world, part);
  search->introduce(search.ref());
  world.barrier();
  const double start = seconds_now();
  search->run(world);
  SearchResult result;
  result.seconds = allreduce(world, seconds_now() - start, armature::Maximum());
  result.rounds = search->rounds();
  result.calls = allreduce(world, search->calls());
  result.component = search->components();
  return result;
}

}  // namespace scc

#include "explorer.hpp"

#include <cstring>
#include <deque>
#include <unordered_set>
#include <utility>
#include <vector>

namespace armature::fence_model {

namespace {

struct KeyHash {
  std::size_t operator()(const Model::Key& key) const {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < key.size(); i += sizeof hash) {
      std::uint64_t word = 0;
      std::memcpy(&word, key.data() + i, sizeof word);
      hash = (hash ^ word) * 0x9e37'79b9'7f4a'7c15;
      hash ^= hash >> 32;
    }
    return hash;
  }
};
static_assert(std::tuple_size_v<Model::Key> % sizeof(std::uint64_t) == 0);

/// How a state was come to first.
struct Arrival {
  std::size_t from = 0;  // number of another arrival
  Step step;
};

std::string trace(const Model& model, const std::vector<Arrival>& arrivals, std::size_t last,
                  const std::string& wrong) {
  std::vector<Step> way;
  for (std::size_t at = last; at != 0; at = arrivals[at].from) way.push_back(arrivals[at].step);
  State state = model.initial();
  std::string text;
  for (auto step = way.rbegin(); step != way.rend(); ++step) {
    const State before = state;
    (void)model.take(state, *step);
    text += "  " + model.describe(before, *step, state) + "\n";
  }
  return text + "  -> " + wrong;
}

}  // namespace

Exploration explore(const Model& model) {
  Exploration found;
  std::unordered_set<Model::Key, KeyHash> seen;
  std::vector<Arrival> arrivals(1);
  std::deque<std::pair<State, std::size_t>> ahead;
  seen.insert(model.key(model.initial()));
  ahead.emplace_back(model.initial(), 0);

  for (; !ahead.empty(); ahead.pop_front()) {
    const auto& [state, number] = ahead.front();
    if (model.is_final(state)) ++found.ends;
    for (const Step& step : model.steps(state)) {
      ++found.steps;
      State next = state;
      const std::optional<std::string> wrong = model.take(next, step);
      if (wrong) {
        arrivals.push_back({number, step});
        found.violation = trace(model, arrivals, arrivals.size() - 1, *wrong);
        found.states = seen.size();
        return found;
      }
      if (!seen.insert(model.key(next)).second) continue;
      arrivals.push_back({number, step});
      ahead.emplace_back(next, arrivals.size() - 1);
    }
  }
  found.states = seen.size();
  return found;
}

}  // namespace armature::fence_model

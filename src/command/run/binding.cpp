#include "command/run/binding.hpp"

#include <cstddef>

namespace armature::command {

Binding choose_binding(const std::vector<Core>& cores, std::uint32_t ranks, Bind bind) {
  if (bind == Bind::none || cores.empty()) return {};
  if (bind == Bind::automatic && ranks == 1) return {};

  std::vector<std::vector<int>> threads;  // all of the first core, then of the next
  for (const auto& core : cores)
    for (int thread : core) threads.push_back({thread});

  const bool whole_cores = ranks <= cores.size();
  if (!whole_cores && ranks > threads.size() && bind == Bind::automatic) return {};
  const auto& places = whole_cores || ranks > threads.size() ? cores : threads;
  Binding binding;
  for (std::size_t rank = 0; rank < ranks; ++rank) binding.push_back(places[rank % places.size()]);
  return binding;
}

}  // namespace armature::command

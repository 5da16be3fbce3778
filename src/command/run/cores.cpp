#include "command/run/cores.hpp"

#include <hwloc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "topology/cores.hpp"

// hwloc can find out about everything up to graphics cards. A launcher that must start a rank in
// milliseconds asks for cores, caches, memory and packages only, and not of the component that
// visits every core to query it.

namespace armature::command {
namespace {

using Topology = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;

Topology load() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return {nullptr, &hwloc_topology_destroy};
  Topology topology(raw, &hwloc_topology_destroy);
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_cache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  // Groups tell which cores a memory of a made machine is near to.
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
  hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  if (hwloc_topology_load(raw) != 0) topology.reset();
  return topology;
}

std::vector<hwloc_obj_t> objects(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::vector<hwloc_obj_t> all;
  const int count = hwloc_get_nbobjs_by_type(topology, type);
  for (int i = 0; i < count; ++i)
    all.push_back(hwloc_get_obj_by_type(topology, type, static_cast<unsigned>(i)));
  return all;
}

/// The last caches before memory.
std::vector<hwloc_obj_t> last_caches(hwloc_topology_t topology) {
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE,
                                      HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L1CACHE})
    if (auto all = objects(topology, type); !all.empty()) return all;
  return {};
}

/// The number of the object with that hardware thread. Where there is none of the kind, the whole
/// machine is one.
std::int32_t number_with(unsigned thread, const std::vector<hwloc_obj_t>& all) {
  const auto found = std::ranges::find_if(
      all, [&](hwloc_obj_t one) { return hwloc_bitmap_isset(one->cpuset, thread) != 0; });
  return found != all.end() ? static_cast<std::int32_t>(found - all.begin()) : 0;
}

std::vector<space::Place> places(hwloc_topology_t topology) {
  const auto cores = objects(topology, HWLOC_OBJ_CORE);
  const auto caches = last_caches(topology);
  const auto memories = objects(topology, HWLOC_OBJ_NUMANODE);
  const auto packages = objects(topology, HWLOC_OBJ_PACKAGE);
  std::vector<space::Place> of_threads;
  for (const hwloc_obj_t one : objects(topology, HWLOC_OBJ_PU)) {
    const unsigned thread = one->os_index;
    if (of_threads.size() <= thread) of_threads.resize(thread + 1);
    of_threads[thread] = {.socket = number_with(thread, packages),
                          .numa = number_with(thread, memories),
                          .cache = number_with(thread, caches),
                          .core = number_with(thread, cores)};
  }
  return of_threads;
}

}  // namespace

Machine::Known Machine::look() {
  Known known;
  const Topology topology = load();
  if (!topology) return known;
  known.is_this_one = hwloc_topology_is_thissystem(topology.get()) != 0;
  known.of_threads = places(topology.get());
  const auto allowed = topology::allowed_processors();
  for (const hwloc_obj_t one : objects(topology.get(), HWLOC_OBJ_CORE)) {
    Core core;
    for (int thread = 0; thread < static_cast<int>(known.of_threads.size()); ++thread)
      if (hwloc_bitmap_isset(one->cpuset, static_cast<unsigned>(thread)) != 0 &&
          (!known.is_this_one || std::ranges::binary_search(allowed, thread)))
        core.push_back(thread);
    if (!core.empty()) known.cores.push_back(std::move(core));
  }
  return known;
}

const Machine::Known& Machine::known() {
  if (!known_) known_ = look();
  return *known_;
}

bool Machine::is_this_one() {
  const auto tells_of_another = [](const char* name) { return std::getenv(name) != nullptr; };
  const bool may_be_another =
      tells_of_another("HWLOC_SYNTHETIC") || tells_of_another("HWLOC_XMLFILE");
  return !may_be_another || known().is_this_one;
}

space::Place Machine::place_of(const std::vector<int>& threads) {
  space::Place place;
  bool is_first = true;
  const auto join = [&](std::int32_t& all, std::int32_t one) {
    all = is_first || all == one ? one : -1;
  };
  for (const int thread : threads) {
    if (static_cast<std::size_t>(thread) >= known().of_threads.size()) return {};
    const space::Place& one = known().of_threads[static_cast<std::size_t>(thread)];
    join(place.socket, one.socket);
    join(place.numa, one.numa);
    join(place.cache, one.cache);
    join(place.core, one.core);
    is_first = false;
  }
  return place;
}

}  // namespace armature::command

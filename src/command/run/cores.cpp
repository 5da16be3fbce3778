#include "command/run/cores.hpp"

#include <hwloc.h>

#include <algorithm>
#include <memory>

#include "topology/cores.hpp"

// hwloc can find out about everything from caches to graphics cards. A launcher that must start a
// rank in milliseconds asks for cores only, and not of the component that visits every core to
// query it.

namespace armature::command {
namespace {

using Topology = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;

Topology load_cores_only() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return {nullptr, &hwloc_topology_destroy};
  Topology topology(raw, &hwloc_topology_destroy);
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  if (hwloc_topology_load(raw) != 0) topology.reset();
  return topology;
}

}  // namespace

std::vector<Core> allowed_cores() {
  const Topology topology = load_cores_only();
  if (!topology) return {};

  const auto allowed = topology::allowed_processors();
  std::vector<Core> cores;
  const int count = hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_CORE);
  for (int i = 0; i < count; ++i) {
    const hwloc_obj_t object =
        hwloc_get_obj_by_type(topology.get(), HWLOC_OBJ_CORE, static_cast<unsigned>(i));
    Core core;
    for (int thread : allowed) {
      if (hwloc_bitmap_isset(object->cpuset, static_cast<unsigned>(thread))) core.push_back(thread);
    }
    if (!core.empty()) cores.push_back(std::move(core));
  }
  return cores;
}

}  // namespace armature::command

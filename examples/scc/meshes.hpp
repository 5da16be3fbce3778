// The input of the ARMI paper's graph experiment (armi-rmi-2003, figure 9), made: ten meshes of
// 10,000 vertices and about 30,000 edges each, of 338 strongly connected components in all.
#pragma once

#include "debian/package_graph.hpp"

namespace scc {

// Vertices and edges as packages and their dependencies.
debian::PackageGraph meshes();

}  // namespace scc

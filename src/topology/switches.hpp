#pragma once

#include <map>
#include <string>

namespace armature::topology {

/// The switch that each node is at, by the node's name, as a file tells it that has the form of
/// Slurm's topology.conf: lines "SwitchName=NAME Nodes=LIST", where LIST is as in "a,b[0-3,7]".
/// Switches of switches ("Switches=LIST") and other words are passed over; so is what stands behind
/// a '#'. Numbers are from 0 on. Throws Error(start) that names the file and the line.
std::map<std::string, int> read_switches(const std::string& path);

}  // namespace armature::topology

#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/aim.hpp"
#include "bench/peers.hpp"
#include "bench/row.hpp"

namespace armature::bench {

/// The rows for people: columns op, bytes, ns, limit_ns, ratio, with aims what is aimed at and
/// whether it is reached, and with peers the best of them.
std::string table(const std::vector<Row>& rows, const Peers& peers, std::span<const Aim> aims);

/// The rows for programs: a list of objects, see to_json; with peers also "peer" and "peer_ns",
/// with an aim "aim_ns".
std::string json(const std::vector<Row>& rows, const Peers& peers, std::span<const Aim> aims);

}  // namespace armature::bench

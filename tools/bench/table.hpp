#pragma once

#include <string>
#include <vector>

#include "bench/peers.hpp"
#include "bench/row.hpp"

namespace armature::tools::bench {

/// The rows for people: columns op, bytes, ns, limit_ns, ratio, and with peers the best of them.
std::string table(const std::vector<Row>& rows, const Peers& peers);

/// The rows for programs: a list of objects, see to_json; with peers also "peer" and "peer_ns".
std::string json(const std::vector<Row>& rows, const Peers& peers);

}  // namespace armature::tools::bench

// An SVG picture of the time a search takes against the aggregation factor, a panel for each graph.
#pragma once

#include <string>
#include <vector>

#include "report.hpp"

namespace scc {

std::string draw(const std::vector<GraphReport>& reports, int ranks);

}  // namespace scc

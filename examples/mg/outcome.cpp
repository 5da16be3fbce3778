#include "outcome.hpp"

#include <cmath>
#include <cstdio>

namespace mg {

bool report(const std::string& name, const ProblemClass& problem, const Outcome& outcome) {
  // 58 operations per cell and iteration: the benchmark's own count.
  const double operations = 58.0 * problem.iterations * problem.cells();
  const double error = std::abs(outcome.norm - problem.norm) / problem.norm;
  std::printf("%-16s %8.4f s  %8.1f Mop/s  L2 norm %.13e  (off by %.1e)\n", name.c_str(),
              outcome.seconds, operations / outcome.seconds * 1e-6, outcome.norm, error);
  std::fflush(stdout);
  return error <= 1e-8;
}

}  // namespace mg

// The time and the result of a solution, and the check of the result: the same for all programs
// that solve the problem.
#pragma once

#include <string>

#include "problem.hpp"
#include "v_cycle.hpp"

namespace mg {

struct Outcome {
  double seconds = 0.0;
  double norm = 0.0;
};

/// One iteration untimed, to touch all memory, as the benchmark prescribes; then the problem
/// itself. seconds() returns those since some moment.
template <class Hierarchy, class Barrier, class Clock>
Outcome time_solve(Hierarchy& hierarchy, Grid charges, int iterations, Barrier barrier,
                   Clock seconds) {
  solve(hierarchy, charges, 1);
  barrier();
  const double start = seconds();
  const double norm = solve(hierarchy, charges, iterations);
  barrier();
  return {.seconds = seconds() - start, .norm = norm};
}

/// Prints a line and says whether the norm is the published one.
bool report(const std::string& name, const ProblemClass& problem, const Outcome& outcome);

}  // namespace mg

#pragma once

#include <cstddef>
#include <string>

#include "atomics.hpp"
#include "collectives.hpp"
#include "job.hpp"
#include "order.hpp"
#include "reductions.hpp"
#include "waiting.hpp"

// The common part of the Fortran interface (OpenSHMEM 1.4), whose functions are generated.

namespace shmem {

__extension__ using Real16 = __float128;
__extension__ using Word16 = unsigned __int128;

/// A count that Fortran passes as an integer. Throws Error(bad_argument) for a negative one.
[[nodiscard]] inline std::size_t count_of(int given) {
  if (given < 0) refuse("a count of " + std::to_string(given) + " is negative");
  return static_cast<std::size_t>(given);
}

}  // namespace shmem

#include "thread_level.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include <armature/error.hpp>

#include "armcix.h"
#include "calls.hpp"
#include "of_rank.hpp"
#include "start_mpi.hpp"

namespace armci {
namespace {

std::string named(int level) {
  constexpr std::array names{"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED",
                             "MPI_THREAD_MULTIPLE"};
  return std::string(names[static_cast<std::size_t>(level)]) + " (" + std::to_string(level) + ")";
}

/// Returns the reason for the level that is served.
const char* reason() {
  if (is_of_rank) return "a rank that shares its process has no thread but its own";
  return "the program's MPI was initialised for no more";
}

}  // namespace

int served_thread_level() {
  if (is_of_rank) return funneled;
  return std::min<int>(thread_level_max, mpi_thread_level(thread_level_max));
}

void require_thread_level(int requested) {
  if (requested < single || requested > multiple)
    throw armature::Error(armature::Errc::bad_argument,
                          std::to_string(requested) + " is no level of threads");
  const int served = served_thread_level();
  if (requested > served)
    throw armature::Error(armature::Errc::misuse, named(requested) +
                                                      " is asked for, but no more than " +
                                                      named(served) + " is served: " + reason());
}

}  // namespace armci

using namespace armci;

extern "C" {

int ARMCIX_Query_thread(int* provided) {
  if (provided == nullptr) return explain(__func__, null_pointer, "nowhere to write the level to");
  return answered(__func__, [=]() -> int { return *provided = served_thread_level(), ok; });
}

}  // extern "C"

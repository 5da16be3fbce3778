// Armature's own collectives, for caf.f90.
#include <cstddef>
#include <functional>
#include <span>

#include <armature/collectives.hpp>
#include <armature/run.hpp>

extern "C" void own_barrier();
extern "C" void own_sum(double* values, int count);

void own_barrier() { armature::world().barrier(); }

void own_sum(double* values, int count) {
  armature::allreduce(armature::world(), std::span<double>(values, static_cast<std::size_t>(count)),
                      std::plus<>());
}

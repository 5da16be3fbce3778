#include "state.hpp"

#include <armature/run.hpp>

#include "calls.hpp"

namespace shmem {
namespace {

armature::rank_local<State> of_rank;

}  // namespace

State& state() { return *of_rank; }

State& state_of(const char* call) {
  if (!armature::initialized() || state().begun == 0)
    refuse(std::string(call) + " is called before shmem_init or after shmem_finalize",
           armature::Errc::misuse);
  return state();
}

armature::World& world_of(const char* call) {
  if (!armature::initialized())
    refuse(std::string(call) + " is called before shmem_init", armature::Errc::misuse);
  return armature::world();
}

}  // namespace shmem

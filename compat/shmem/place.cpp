#include "place.hpp"

#include <cstdio>
#include <string>

#include <armature/layer/symmetric.hpp>
#include <armature/run.hpp>

#include "calls.hpp"
#include "state.hpp"

namespace shmem {

void* same_place_slow(const void* address, int pe) {
  if (void* const found = static_at_pe(address, pe)) return found;
  State& here = state_of("a routine that takes a symmetric address");
  if (here.statics.contains(address)) {
    here.heap.learn_extent();
    here.statics.learn_extent();
    return static_at_pe(address, pe);
  }
  if (!here.heap.contains(address)) {
    char text[32];
    std::snprintf(text, sizeof text, "%p", address);
    refuse("address " + std::string(text) +
               " is not symmetric: it does not lie in the symmetric heap (" + here.heap.place() +
               "), and " + here.statics.place(),
           armature::Errc::bad_address);
  }
  here.heap.learn_extent();
  return armature::layer::symmetric_address(static_cast<std::byte*>(const_cast<void*>(address)),
                                            world_of("shmem").rank(), pe,
                                            armature::layer::segment_stride())
      .address();
}

int pe_in_world(shmem_ctx_t ctx, int pe) {
  if (ctx == SHMEM_CTX_DEFAULT) return pe;
  if (ctx == SHMEM_CTX_INVALID) refuse("the context is SHMEM_CTX_INVALID");
  const std::vector<armature::Rank>& members = ctx->members;
  if (members.empty()) return pe;
  if (pe < 0 || static_cast<std::size_t>(pe) >= members.size())
    refuse("PE " + std::to_string(pe) + " is none of the " + std::to_string(members.size()) +
               " of the context's team",
           armature::Errc::bad_rank);
  return members[static_cast<std::size_t>(pe)];
}

}  // namespace shmem

#include "armature/layer/program.hpp"

#include "image/copies.hpp"
#include "wait/rank_context.hpp"

namespace armature::layer {

std::uintptr_t own_address(std::uintptr_t of_program) {
  const wait::RankContext& me = wait::this_rank("own_address");
  const image::Copies* const copies = image::copies();
  return copies != nullptr ? copies->own_of(me.space.me(), of_program) : of_program;
}

void end_main_by(void (*end)(int status)) { image::end_main_by(end); }

}  // namespace armature::layer

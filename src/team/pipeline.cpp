#include "team/pipeline.hpp"

namespace armature::team {

void Pipeline::enter(int me, std::uint64_t signature) {
  // FNV's prime: calls in another order make another sum.
  calls_ = (calls_ ^ signature) * 0x100'0000'01b3;
  space::MemberLine& mine = line(me);
  mine.signature = signature;
  // Release: who sees the number sees the bytes shown, and all this rank has stored before.
  mine.round.store(name(me).number(), std::memory_order_release);
}

}  // namespace armature::team

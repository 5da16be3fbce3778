#include "team/pipeline.hpp"

namespace armature::team {

void Pipeline::enter(int me, std::uint64_t signature, bool has_failed) {
  // FNV's prime: calls in another order make another sum.
  calls_ = (calls_ ^ signature) * 0x100'0000'01b3;
  space::MemberLine& mine = line(me);
  mine.signature = has_failed ? signature | failed : signature;
  // Release: who sees the number sees the bytes shown, and all this rank has stored before.
  mine.round.store(name(me).number(), std::memory_order_release);
}

// Rounds carry some bits of it. So every bit depends on all calls: MurmurHash3's last steps, which
// make 0 of 0.
std::uint64_t Pipeline::mixed_calls() const {
  std::uint64_t sum = calls_;
  sum = (sum ^ sum >> 33) * 0xff51'afd7'ed55'8ccd;
  sum = (sum ^ sum >> 33) * 0xc4ce'b9fe'1a85'ec53;
  return sum ^ sum >> 33;
}

}  // namespace armature::team

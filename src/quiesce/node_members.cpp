#include "quiesce/node_members.hpp"

namespace armature::quiesce {

NodeMembers::NodeMembers(const space::Mapping& mapping, int process, std::uint32_t epoch)
    : job_(mapping.header()) {
  for (int p = 0; p < static_cast<int>(job_.processes); ++p) {
    const space::ProcessSlot& slot = mapping.process_slot(p);
    if (slot.node != job_.node || !slot.belongs(epoch)) continue;
    if (p == process) place_ = processes_.size();
    processes_.push_back(p);
  }
}

NodeMembers::Share NodeMembers::share(std::uint64_t end_of_file) const {
  const std::uint64_t ranks = job_.ranks, all = processes_.size();
  const std::uint64_t first = ranks * place_ / all, behind = ranks * (place_ + 1) / all;
  return {first * job_.layout.segment_bytes,
          behind == ranks ? end_of_file : behind * job_.layout.segment_bytes};
}

}  // namespace armature::quiesce

// Collectives as members of Team, for programs that were compiled before they were free functions,
// or call them so.
#include "armature/collectives.hpp"

namespace armature {

void Team::broadcast_bytes(void* data, std::size_t bytes, int root) const {
  detail::broadcast_bytes(*this, data, bytes, root);
}
void Team::allgather_bytes(const void* mine, std::size_t bytes, void* all) const {
  detail::allgather_bytes(*this, mine, bytes, all);
}
void Team::gather_bytes(const void* mine, std::size_t bytes, void* all, int root) const {
  detail::gather_bytes(*this, mine, bytes, all, root);
}
void Team::scatter_bytes(const void* all, std::size_t block_bytes, void* mine, int root) const {
  detail::scatter_bytes(*this, all, block_bytes, mine, root);
}
void Team::alltoall_bytes(const void* mine, std::size_t block_bytes, void* all) const {
  detail::alltoall_bytes(*this, mine, block_bytes, all);
}
void Team::allreduce_bytes(void* data, const detail::Reduction& reduction) const {
  detail::allreduce_bytes(*this, data, reduction);
}
void Team::reduce_bytes(void* data, const detail::Reduction& reduction, int root) const {
  detail::reduce_bytes(*this, data, reduction, root);
}
void Team::scan_bytes(void* data, const detail::Reduction& reduction, const void* first) const {
  detail::scan_bytes(*this, data, reduction, first);
}

void Team::expect_size(const char* call, std::size_t given, std::size_t expected) {
  detail::expect_elements(call, given, expected);
}

}  // namespace armature

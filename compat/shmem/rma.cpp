#include "rma.hpp"

#include <armature/strided.hpp>

namespace shmem {
namespace {

bool are_empty(const Blocks& blocks) { return blocks.elements == 0 || blocks.count == 0; }

armature::Patch patch_of(const Blocks& blocks) {
  const auto element = static_cast<std::ptrdiff_t>(blocks.element_bytes);
  return {.row_bytes = blocks.elements * blocks.element_bytes,
          .rows = blocks.count,
          .to_stride = blocks.dest_stride * element,
          .from_stride = blocks.source_stride * element};
}

}  // namespace

void put_blocks(shmem_ctx_t ctx, void* dest, const void* source, const Blocks& blocks, int pe) {
  if (are_empty(blocks)) return;
  armature::put_patch(at_pe(ctx, dest, pe), source, patch_of(blocks));
}
void get_blocks(shmem_ctx_t ctx, void* dest, const void* source, const Blocks& blocks, int pe) {
  if (are_empty(blocks)) return;
  armature::get_patch(dest, at_pe(ctx, source, pe), patch_of(blocks));
}

}  // namespace shmem

// The collectives of blocks that differ in length.
#include <algorithm>
#include <vector>

#include "armature/collectives_async.hpp"
#include "collective/call.hpp"
#include "collective/choice.hpp"

namespace armature::detail {

using collective::Call;
using collective::offsets_of;

namespace {

/// The length of the member's own block.
std::size_t own_bytes(const Call& call, const std::vector<std::size_t>& blocks) {
  const auto me = static_cast<std::size_t>(call.members().me);
  return blocks[me + 1] - blocks[me];
}

}  // namespace

Handle allgatherv_async_bytes(const Team& team, const void* mine, void* all, Counts counts,
                              std::size_t bytes_each) {
  Call call(team, "allgatherv_async");
  call.require_counts(counts, bytes_each);
  allgather_by_ring(call.schedule(), call.members(), offsets_of(counts, bytes_each));
  return call.start({mine, all});
}

Handle gatherv_async_bytes(const Team& team, const void* mine, std::size_t bytes, void* all,
                           Counts counts, std::size_t bytes_each, int root) {
  Call call(team, "gatherv_async");
  call.require_root(root);
  std::vector<std::size_t> blocks;
  if (call.members().me == root) {
    call.require_counts(counts, bytes_each);
    blocks = offsets_of(counts, bytes_each);
    call.require_own_block(bytes, own_bytes(call, blocks));
  }
  gather_at_root(call.schedule(), call.members(), root, bytes, blocks);
  return call.start({mine, all});
}

Handle scatterv_async_bytes(const Team& team, const void* all, Counts counts, void* mine,
                            std::size_t bytes, std::size_t bytes_each, int root) {
  Call call(team, "scatterv_async");
  call.require_root(root);
  std::vector<std::size_t> blocks;
  if (call.members().me == root) {
    call.require_counts(counts, bytes_each);
    blocks = offsets_of(counts, bytes_each);
    call.require_own_block(own_bytes(call, blocks), bytes);
  }
  scatter_from_root(call.schedule(), call.members(), root, bytes, blocks);
  return call.start({all, mine});
}

Handle alltoallv_async_bytes(const Team& team, const void* mine, Counts to, void* all, Counts from,
                             std::size_t bytes_each) {
  Call call(team, "alltoallv_async");
  call.require_counts(to, bytes_each);
  call.require_counts(from, bytes_each);
  const auto blocks_to = offsets_of(to, bytes_each), blocks_from = offsets_of(from, bytes_each);
  call.require_own_block(own_bytes(call, blocks_to), own_bytes(call, blocks_from));
  alltoall_by_pairs(call.schedule(), call.members(), blocks_to, blocks_from);
  return call.start({mine, all});
}

// Few bytes are combined by all members, who then take their own.
Handle reduce_scatter_async_bytes(const Team& team, const void* data, void* mine, Counts counts,
                                  const AsyncReduction& reduction) {
  collective::Operator with{
      reduction.of.element_bytes, reduction.of.combine, {reduction.of.op, reduction.destroy}};
  Call call(team, "reduce_scatter_async");
  call.require_counts(counts, reduction.of.element_bytes);
  const auto blocks = offsets_of(counts, reduction.of.element_bytes);
  const collective::Algorithm chosen =
      collective::choose({collective::Kind::reduce_scatter, blocks.back(), call.members().size,
                          call.nodes(), reduction.commutes});
  if (chosen == collective::Algorithm::doubling && !call.is_reproducible()) {
    const auto me = static_cast<std::size_t>(call.members().me);
    collective::Schedule& schedule = call.schedule();
    const collective::Place all = schedule.take_scratch(blocks.back());
    schedule.copy(all, collective::input, blocks.back());
    schedule.end();
    allreduce_by_doubling(schedule, call.members(), all,
                          {blocks.back() / reduction.of.element_bytes, reduction.of.element_bytes});
    schedule.copy(collective::output, all + blocks[me], blocks[me + 1] - blocks[me]);
  } else {
    reduce_scatter_by_pairs(call.schedule(), call.members(), blocks);
  }
  return call.start({data, mine}, std::move(with));
}

}  // namespace armature::detail

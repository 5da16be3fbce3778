// The calls of armature/collectives_async.hpp: each writes its schedule and begins it.
#include <cstring>
#include <utility>

#include "armature/collectives_async.hpp"
#include "collective/call.hpp"
#include "collective/choice.hpp"

namespace armature::detail {

using collective::Algorithm;
using collective::Call;
using collective::Elements;
using collective::Kind;
using collective::Operator;

namespace {

Elements elements_of(const Reduction& reduction) {
  return {reduction.count, reduction.element_bytes};
}

Operator operator_of(const AsyncReduction& reduction) {
  return {reduction.of.element_bytes, reduction.of.combine, {reduction.of.op, reduction.destroy}};
}

void write_allreduce(Call& call, const AsyncReduction& reduction) {
  const Elements elements = elements_of(reduction.of);
  if (call.is_reproducible()) return allreduce_in_order(call.schedule(), call.members(), elements);
  switch (collective::choose(
      {Kind::allreduce, elements.bytes(), call.members().size, call.nodes(), reduction.commutes})) {
    case Algorithm::ring:
      return allreduce_by_ring(call.schedule(), call.members(), elements);
    case Algorithm::halving:
      return allreduce_by_halving(call.schedule(), call.members(), elements);
    default:
      return allreduce_by_doubling(call.schedule(), call.members(), collective::output, elements);
  }
}

}  // namespace

Handle barrier_async_call(const Team& team) {
  Call call(team, "barrier_async");
  disseminate(call.schedule(), call.members());
  return call.start({});
}

Handle broadcast_async_bytes(const Team& team, void* data, std::size_t bytes, int root) {
  Call call(team, "broadcast_async");
  call.require_root(root);
  broadcast_by_tree(call.schedule(), call.members(), root, bytes);
  return call.start({data, data});
}

Handle allgather_async_bytes(const Team& team, const void* mine, std::size_t bytes, void* all) {
  Call call(team, "allgather_async");
  const int size = call.members().size;
  if (collective::choose({Kind::allgather, bytes, size, call.nodes()}) == Algorithm::bruck)
    allgather_by_bruck(call.schedule(), call.members(), bytes);
  else
    allgather_by_ring(call.schedule(), call.members(), collective::equal_offsets(size, bytes));
  return call.start({mine, all});
}

Handle gather_async_bytes(const Team& team, const void* mine, std::size_t bytes, void* all,
                          int root) {
  Call call(team, "gather_async");
  call.require_root(root);
  const int size = call.members().size;
  if (collective::choose({Kind::gather, bytes, size, call.nodes()}) == Algorithm::tree)
    gather_by_tree(call.schedule(), call.members(), root, bytes);
  else
    gather_at_root(call.schedule(), call.members(), root, bytes,
                   collective::equal_offsets(size, bytes));
  return call.start({mine, all});
}

Handle scatter_async_bytes(const Team& team, const void* all, std::size_t bytes, void* mine,
                           int root) {
  Call call(team, "scatter_async");
  call.require_root(root);
  const int size = call.members().size;
  if (collective::choose({Kind::scatter, bytes, size, call.nodes()}) == Algorithm::tree)
    scatter_by_tree(call.schedule(), call.members(), root, bytes);
  else
    scatter_from_root(call.schedule(), call.members(), root, bytes,
                      collective::equal_offsets(size, bytes));
  return call.start({all, mine});
}

Handle alltoall_async_bytes(const Team& team, const void* mine, std::size_t bytes, void* all) {
  Call call(team, "alltoall_async");
  const int size = call.members().size;
  if (collective::choose({Kind::alltoall, bytes, size, call.nodes()}) == Algorithm::bruck) {
    alltoall_by_bruck(call.schedule(), call.members(), bytes);
  } else {
    const auto blocks = collective::equal_offsets(size, bytes);
    alltoall_by_pairs(call.schedule(), call.members(), blocks, blocks);
  }
  return call.start({mine, all});
}

Handle allreduce_async_bytes(const Team& team, void* data, const AsyncReduction& reduction) {
  Operator with = operator_of(reduction);
  Call call(team, "allreduce_async");
  write_allreduce(call, reduction);
  return call.start({data, data}, std::move(with));
}

Handle reduce_async_bytes(const Team& team, void* data, const AsyncReduction& reduction, int root) {
  Operator with = operator_of(reduction);
  Call call(team, "reduce_async");
  call.require_root(root);
  if (call.is_reproducible())
    reduce_in_order(call.schedule(), call.members(), root, elements_of(reduction.of));
  else
    reduce_by_tree(call.schedule(), call.members(), root, elements_of(reduction.of));
  return call.start({data, data}, std::move(with));
}

Handle scan_async_bytes(const Team& team, void* data, const AsyncReduction& reduction,
                        const void* first) {
  Operator with = operator_of(reduction);
  Call call(team, first == nullptr ? "scan_async" : "exclusive_scan_async");
  const auto prefix =
      first == nullptr ? collective::Prefix::inclusive : collective::Prefix::exclusive;
  if (call.is_reproducible())
    scan_in_order(call.schedule(), call.members(), prefix, elements_of(reduction.of));
  else
    scan(call.schedule(), call.members(), prefix, elements_of(reduction.of));
  collective::Buffers buffers{data, data};
  if (first != nullptr) {
    const auto* const bytes = static_cast<const std::byte*>(first);
    buffers.first.assign(bytes, bytes + reduction.of.element_bytes);
  }
  return call.start(std::move(buffers), std::move(with));
}

}  // namespace armature::detail

#include "collectives.hpp"

#include <cstring>
#include <span>
#include <vector>

#include <armature/collectives.hpp>
#include <armature/strided.hpp>

namespace shmem {
namespace {

using Bytes = std::span<std::byte>;
using ConstBytes = std::span<const std::byte>;

ConstBytes bytes_of(const void* begin, std::size_t count) {
  return {static_cast<const std::byte*>(begin), count};
}

/// Returns the same place at a member.
template <class T>
armature::global_ptr<T> at_member(const armature::Team& team, T* address, int member) {
  return at_pe(address, team.world_rank(member));
}

}  // namespace

void broadcast(const armature::Team& team, void* dest, const void* source, std::size_t bytes,
               Root root) {
  const bool is_root = team.rank() == root.pe;
  // The root's buffer is only read.
  auto* const data = static_cast<std::byte*>(is_root ? const_cast<void*>(source) : dest);
  armature::broadcast(team, Bytes(data, bytes), root.pe);
  if (is_root && !root.keeps_dest && bytes > 0) std::memmove(dest, source, bytes);
}

void collect(const armature::Team& team, void* dest, const void* source, std::size_t bytes) {
  // When all sizes are known, all members have entered: their buffers are ready.
  const std::vector<std::size_t> sizes = armature::allgather(team, bytes);
  std::size_t offset = 0;
  for (int member = 0; member < team.rank(); ++member)
    offset += sizes[static_cast<std::size_t>(member)];
  auto* const place = static_cast<std::byte*>(dest) + offset;
  if (bytes > 0)
    for (int i = 1; i <= team.size(); ++i) {
      const int member = (team.rank() + i) % team.size();
      armature::put_bytes(at_member<std::byte>(team, place, member), source, bytes);
    }
  team.barrier();
}

void fcollect(const armature::Team& team, void* dest, const void* source, std::size_t bytes) {
  const std::size_t all = bytes * static_cast<std::size_t>(team.size());
  armature::allgather(team, bytes_of(source, bytes), Bytes(static_cast<std::byte*>(dest), all));
}

void alltoall(const armature::Team& team, void* dest, const void* source, std::size_t bytes) {
  const std::size_t all = bytes * static_cast<std::size_t>(team.size());
  armature::alltoall(team, bytes_of(source, all), Bytes(static_cast<std::byte*>(dest), all));
}

void alltoalls(const armature::Team& team, void* dest, const void* source, const Blocks& blocks) {
  const auto element = static_cast<std::ptrdiff_t>(blocks.element_bytes);
  const auto count = static_cast<std::ptrdiff_t>(blocks.count);
  const armature::Patch patch{.row_bytes = blocks.element_bytes,
                              .rows = blocks.count,
                              .to_stride = blocks.dest_stride * element,
                              .from_stride = blocks.source_stride * element};
  team.barrier();  // their buffers are ready
  auto* const place =
      static_cast<std::byte*>(dest) + team.rank() * count * blocks.dest_stride * element;
  if (count > 0)
    for (int i = 1; i <= team.size(); ++i) {
      const int member = (team.rank() + i) % team.size();
      const auto* const from =
          static_cast<const std::byte*>(source) + member * count * blocks.source_stride * element;
      const armature::global_ptr<std::byte> to = at_member(team, place, member);
      armature::put_patch({to.rank(), to.address()}, from, patch);
    }
  team.barrier();
}

}  // namespace shmem

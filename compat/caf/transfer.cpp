#include "transfer.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include <armature/get.hpp>
#include <armature/iov.hpp>
#include <armature/layer/direct.hpp>
#include <armature/put.hpp>
#include <armature/strided.hpp>

#include "image.hpp"

// On a node a transfer is the assignment itself, from memory to memory. Between nodes elements
// travel as the remote image has them, side by side, and this image converts them.

namespace caf {
namespace {

/// Elements side by side.
class Packed {
 public:
  Packed(std::size_t count, const ElementType& type)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(count * type.bytes)),
        count_(count),
        type_(type) {}
  [[nodiscard]] Section section() const {
    Section all(bytes_.get());
    all.add(count_, static_cast<std::ptrdiff_t>(type_.bytes));
    return all;
  }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t count_;
  ElementType type_;
};

bool is_direct(const RemoteSection& remote) {
  const Extent extent = extent_of(remote.section, remote.type.bytes);
  return armature::layer::is_direct(remote.rank, extent.begin, extent.bytes);
}

bool is_mine(armature::Rank rank) { return rank == image().rank; }

/// A dense section and one with triplets, for the library's strided transfers.
struct Shape {
  std::size_t counts[armature::Strided::levels_max + 1];
  std::ptrdiff_t dense[armature::Strided::levels_max];
  std::ptrdiff_t apart[armature::Strided::levels_max];
  std::size_t levels = 0;
};

bool find_shape(const RemoteSection& remote, Shape& shape) {
  const Section& section = remote.section;
  shape.counts[0] = remote.type.bytes;
  std::ptrdiff_t packed = static_cast<std::ptrdiff_t>(remote.type.bytes);
  for (int i = 0; i < section.rank(); ++i) {
    const Axis& axis = section.axis(i);
    if (i == 0 && axis.stride == packed) {
      shape.counts[0] *= axis.count;
    } else {
      if (shape.levels == armature::Strided::levels_max) return false;
      shape.dense[shape.levels] = packed;
      shape.apart[shape.levels] = axis.stride;
      shape.counts[++shape.levels] = axis.count;
    }
    packed *= static_cast<std::ptrdiff_t>(axis.count);
  }
  return true;
}

/// The addresses of all elements: `mine` side by side.
void list_elements(const RemoteSection& remote, std::byte* mine, std::vector<void*>& here,
                   std::vector<void*>& there) {
  remote.section.for_each([&](std::byte* address) {
    there.push_back(address);
    here.push_back(mine);
    mine += remote.type.bytes;
  });
}

void fetch(std::byte* to, const RemoteSection& from) {
  const armature::global_ptr<const void> begin(from.rank, from.section.begin());
  const std::size_t count = from.section.elements();
  if (from.section.is_dense(from.type.bytes))
    return armature::get_bytes(to, begin, count * from.type.bytes);
  Shape shape;
  if (!from.section.has_vectors() && find_shape(from, shape))
    return armature::get_strided(to, begin,
                                 {{shape.counts, shape.levels + 1},
                                  {shape.dense, shape.levels},
                                  {shape.apart, shape.levels}});
  std::vector<void*> here, there;
  list_elements(from, to, here, there);
  const std::vector<const void*> sources(there.begin(), there.end());
  const armature::Iov pieces{here, sources, from.type.bytes};
  armature::get_vector(from.rank, {&pieces, 1});
}

void store(const RemoteSection& to, std::byte* from) {
  const armature::global_ptr<void> begin(to.rank, to.section.begin());
  const std::size_t count = to.section.elements();
  if (to.section.is_dense(to.type.bytes))
    return armature::put_bytes(begin, from, count * to.type.bytes);
  Shape shape;
  if (!to.section.has_vectors() && find_shape(to, shape))
    return armature::put_strided(begin, from,
                                 {{shape.counts, shape.levels + 1},
                                  {shape.apart, shape.levels},
                                  {shape.dense, shape.levels}});
  std::vector<void*> here, there;
  list_elements(to, from, here, there);
  const std::vector<const void*> sources(here.begin(), here.end());
  const armature::Iov pieces{there, sources, to.type.bytes};
  armature::put_vector(to.rank, {&pieces, 1});
}

}  // namespace

Extent extent_of(const Section& section, std::size_t element_bytes) {
  const std::byte* low = section.begin();
  const std::byte* high = section.begin();
  for (int i = 0; i < section.rank(); ++i) {
    const Axis& axis = section.axis(i);
    std::ptrdiff_t least = 0;
    std::ptrdiff_t most = 0;
    if (axis.count == 0) return {section.begin(), 0};
    if (axis.distances.empty()) {
      const std::ptrdiff_t end = static_cast<std::ptrdiff_t>(axis.count - 1) * axis.stride;
      least = std::min<std::ptrdiff_t>(end, 0);
      most = std::max<std::ptrdiff_t>(end, 0);
    } else {
      const auto [lowest, highest] =
          std::minmax_element(axis.distances.begin(), axis.distances.end());
      least = *lowest;
      most = *highest;
    }
    low += least;
    high += most;
  }
  return {low, static_cast<std::size_t>(high - low) + element_bytes};
}

void get(const Section& to, const ElementType& to_type, const RemoteSection& from,
         bool may_overlap) {
  const std::size_t count = from.section.elements();
  if (to.elements() == 0) return;
  const bool is_same_type = to_type == from.type;
  const bool is_here = is_mine(from.rank);
  if (!is_here && is_same_type && count == to.elements() && to.is_dense(to_type.bytes) &&
      from.section.is_dense(from.type.bytes))
    return armature::get_bytes(to.begin(),
                               armature::global_ptr<const void>(from.rank, from.section.begin()),
                               count * to_type.bytes);
  if (is_direct(from) && !(is_here && may_overlap)) {
    assign(to, to_type, from.section, from.type);
    // Acquire: later reads see what was written later.
    std::atomic_thread_fence(std::memory_order_acquire);
    return;
  }
  if (is_same_type && count == to.elements() && to.is_dense(to_type.bytes) && !is_here)
    return fetch(to.begin(), from);
  const Packed packed(count, from.type);
  fetch(packed.section().begin(), from);
  assign(to, to_type, packed.section(), from.type);
}

void put(const RemoteSection& to, const Section& from, const ElementType& from_type,
         bool may_overlap) {
  const std::size_t count = to.section.elements();
  if (count == 0) return;
  const bool is_same_type = to.type == from_type;
  const bool is_here = is_mine(to.rank);
  const bool is_whole = is_same_type && from.elements() == count && from.is_dense(from_type.bytes);
  if (!is_here && is_whole && to.section.is_dense(to.type.bytes))
    return armature::put_bytes(armature::global_ptr<void>(to.rank, to.section.begin()),
                               from.begin(), count * to.type.bytes);
  if (is_direct(to) && !(is_here && may_overlap)) {
    // Release: an image that sees these elements sees what was written before.
    std::atomic_thread_fence(std::memory_order_release);
    assign(to.section, to.type, from, from_type);
    return;
  }
  if (is_whole && !is_here) return store(to, from.begin());
  const Packed packed(count, to.type);
  assign(packed.section(), to.type, from, from_type);
  store(to, packed.section().begin());
}

void get_and_put(const RemoteSection& to, const RemoteSection& from) {
  const std::size_t count = from.section.elements();
  const Packed packed(count, from.type);
  if (count > 0) fetch(packed.section().begin(), from);
  put(to, packed.section(), from.type, false);
}

}  // namespace caf

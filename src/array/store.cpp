#include "armature/array/store.hpp"

#include <algorithm>
#include <exception>
#include <numeric>
#include <utility>
#include <vector>

#include "armature/error.hpp"
#include "armature/locality.hpp"
#include "armature/put.hpp"

namespace armature::detail {

namespace {

/// The member whose memory that rank has.
int member_of(const ArrayStore& store, Rank rank) {
  int member = 0;
  while (store.memory(member).rank() != rank) ++member;
  return member;
}

}  // namespace

ArrayStore::ArrayStore(const Team& team, std::string name, ArrayLayout layout,
                       std::size_t element_bytes, std::size_t alignment)
    : team_(team),
      me_(team.rank()),
      name_(std::move(name)),
      layout_(std::move(layout)),
      element_bytes_(element_bytes),
      block_(layout_.block(me_)),
      exceptions_(std::uncaught_exceptions()) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(static_cast<std::size_t>(block_.size), element_bytes, &bytes))
    bytes = SIZE_MAX;
  table_ = team_.allocate_bytes(bytes, alignment);
  mine_ = memory(me_).address();
}

ArrayStore::ArrayStore(const Team& team, std::string name, ArrayLayout layout,
                       std::size_t element_bytes, std::vector<std::byte*> blocks)
    : team_(team),
      me_(team.rank()),
      name_(std::move(name)),
      layout_(std::move(layout)),
      element_bytes_(element_bytes),
      blocks_(std::move(blocks)),
      block_(layout_.block(me_)),
      mine_(blocks_[static_cast<std::size_t>(me_)]),
      exceptions_(std::uncaught_exceptions()) {}

ArrayStore::~ArrayStore() {
  if (table_ == nullptr) return;
  // Nobody comes to meet us on the way out of the job: the memory goes with the job.
  if (std::uncaught_exceptions() != exceptions_) return;
  try {
    team_.free_table(table_);
  } catch (const Error&) {
    // A member has died: its memory cannot be given back, and others may still use ours.
  }
}

global_ptr<std::byte> ArrayStore::pointer(const std::ptrdiff_t* indices) const {
  require_index(name_, layout_, indices);
  const ArrayLayout::Location at = layout_.locate(indices);
  return memory(nearest(at.member)) + at.offset * static_cast<std::ptrdiff_t>(element_bytes_);
}

int ArrayStore::owner(const std::ptrdiff_t* indices) const {
  require_index(name_, layout_, indices);
  return nearest(layout_.locate(indices).member);
}

void ArrayStore::add(const std::vector<ArrayPartner>& plan, std::byte* local,
                     ArrayTransfers& transfers) const {
  for (const ArrayPartner& partner : plan)
    for (const int member : concerned(partner.member, transfers.verb())) {
      const global_ptr<std::byte> remote = memory(member);
      transfers.add(remote.rank(), same_node(memory(me_).rank(), remote.rank()), remote.address(),
                    local, partner.boxes);
    }
}

std::vector<int> ArrayStore::concerned(int original, ArrayTransfers::Verb verb) const {
  if (verb == ArrayTransfers::Verb::get) return {nearest(original)};
  std::vector<int> members;
  for (int copy = 0; copy < layout_.placement().copies(); ++copy)
    members.push_back(layout_.placement().member_with_copy(original, copy));
  return members;
}

int ArrayStore::nearest(int original) const {
  const ArrayPlacement& placement = layout_.placement();
  if (placement.copies() == 1) return original;
  const int mine = placement.copy_of(me_);  // members with different copies share the work
  int found = placement.member_with_copy(original, std::max(mine, 0));
  for (int copy = 0; copy < placement.copies(); ++copy) {
    const int member = placement.member_with_copy(original, copy);
    if (member == me_) return me_;
    if (!same_node(memory(me_).rank(), memory(found).rank()) &&
        same_node(memory(me_).rank(), memory(member).rank()))
      found = member;
  }
  return found;
}

void ArrayStore::require_element(ArrayUse use, global_ptr<std::byte> at) const {
  require_use(use, [&] {
    const int member = member_of(*this, at.rank());
    const auto place = layout_.place(member);
    const ArrayBlock block = layout_.block(member);
    const std::ptrdiff_t offset =
        (at.address() - memory(member).address()) / static_cast<std::ptrdiff_t>(element_bytes_);
    PerDimension indices{};
    for (int d = 0; d < layout_.dimensions(); ++d) {
      const auto k = static_cast<std::size_t>(d);
      const std::ptrdiff_t with_ghosts = block.counts[k] + 2 * layout_.ghosts(d);
      const std::ptrdiff_t local = offset / block.strides[k] % with_ghosts - layout_.ghosts(d);
      indices[k] = layout_.axis(d).global(place[k], local);
    }
    return "element " + element_text(indices.data(), layout_.dimensions());
  });
}

void ArrayStore::put_copies(global_ptr<std::byte> nearest, const void* element) const {
  const ArrayPlacement& placement = layout_.placement();
  const int member = member_of(*this, nearest.rank());
  const std::ptrdiff_t behind = nearest.address() - memory(member).address();
  const int original = member - (placement.member_with_copy(0, placement.copy_of(member)));
  for (int copy = 0; copy < placement.copies(); ++copy)
    put(memory(placement.member_with_copy(original, copy)) + behind,
        static_cast<const std::byte*>(element), element_bytes_);
}

void ArrayStore::add_elements(const std::ptrdiff_t* indices, std::size_t count, std::byte* local,
                              ArrayTransfers& transfers) const {
  const auto dimensions = static_cast<std::size_t>(layout_.dimensions());
  const auto bytes = static_cast<std::ptrdiff_t>(element_bytes_);
  require_indices(use_of(transfers.verb()), indices);
  std::vector<ArrayLayout::Location> where;
  where.reserve(count);
  std::vector<std::size_t> begin(static_cast<std::size_t>(layout_.members()) + 1);
  for (std::size_t i = 0; i < count; ++i) {
    require_index(name_, layout_, indices + i * dimensions);
    where.push_back(layout_.locate(indices + i * dimensions));
    ++begin[static_cast<std::size_t>(where.back().member) + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  // Those of a member one behind the other, in the order in which they were given.
  std::vector<std::size_t> sorted(count);
  std::vector<std::size_t> next = begin;
  for (std::size_t i = 0; i < count; ++i)
    sorted[next[static_cast<std::size_t>(where[i].member)]++] = i;
  for (std::size_t m = 0; m + 1 < begin.size(); ++m) {
    if (begin[m] == begin[m + 1]) continue;
    for (const int member : concerned(static_cast<int>(m), transfers.verb())) {
      const global_ptr<std::byte> there = memory(member);
      std::vector<std::byte*> remotes, locals;
      for (std::size_t k = begin[m]; k < begin[m + 1]; ++k) {
        remotes.push_back(there.address() + where[sorted[k]].offset * bytes);
        locals.push_back(local + static_cast<std::ptrdiff_t>(sorted[k]) * bytes);
      }
      transfers.add_elements(there.rank(), remotes, locals);
    }
  }
}

void ArrayStore::require_shape(const ArraySection& section, const std::ptrdiff_t* extents,
                               int dimensions) const {
  bool fits = section.open == dimensions;
  for (int k = 0; k < dimensions && fits; ++k) fits = section.count(k) == extents[k];
  if (fits) return;
  std::string text;
  for (int k = 0; k < dimensions; ++k) text += (k == 0 ? "" : " x ") + std::to_string(extents[k]);
  throw Error(Errc::bad_argument, "distributed_array '" + name_ + "': a section of " +
                                      section.shape_text() + " and a view of " +
                                      (dimensions == 0 ? "one element" : text));
}

}  // namespace armature::detail

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "armature/array/copy_cache.hpp"
#include "armature/array/layout.hpp"
#include "armature/array/plan.hpp"
#include "armature/array/plan_cache.hpp"
#include "armature/array/transfers.hpp"
#include "armature/array/use.hpp"
#include "armature/global_ptr.hpp"
#include "armature/piece.hpp"
#include "armature/team.hpp"

namespace armature::detail {

/// The elements of a distributed_array, as bytes. Made and destroyed collectively.
class ArrayStore {
 public:
  /// Elements of `element_bytes` are zero.
  ARMATURE_API ArrayStore(const Team& team, std::string name, ArrayLayout layout,
                          std::size_t element_bytes, std::size_t alignment);
  /// Elements that are there already: each member's block, without ghosts, in memory that others
  /// reach. It stays whoever's it is.
  ARMATURE_API ArrayStore(const Team& team, std::string name, ArrayLayout layout,
                          std::size_t element_bytes, std::vector<std::byte*> blocks);
  ArrayStore(const ArrayStore&) = delete;
  ArrayStore& operator=(const ArrayStore&) = delete;
  ARMATURE_API ~ArrayStore();

  [[nodiscard]] const Team& team() const { return team_; }
  [[nodiscard]] int me() const { return me_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const ArrayLayout& layout() const { return layout_; }
  [[nodiscard]] std::size_t element_bytes() const { return element_bytes_; }
  /// The caller's own block, and the beginning of its memory.
  [[nodiscard]] const ArrayBlock& block() const { return block_; }
  [[nodiscard]] std::byte* mine() const { return mine_; }

  /// Whether some elements have copies at several members.
  [[nodiscard]] bool is_replicated() const { return layout_.placement().copies() > 1; }
  /// Whether there is nothing about it that an element must know: no copies, no phase.
  [[nodiscard]] bool is_plain() const { return phase_ == ArrayPhase::none && !is_replicated(); }
  /// The member of those with copies of what `original` has that the caller reaches best.
  [[nodiscard]] ARMATURE_API int nearest(int original) const;
  /// Puts the bytes of an element, whose nearest copy lies there, to all copies.
  ARMATURE_API void put_copies(global_ptr<std::byte> nearest, const void* element) const;

  /// Says what the array is used for from now on. Not collective by itself.
  void begin_phase(ArrayPhase phase) const {
    if (phase != ArrayPhase::none && phase_ != ArrayPhase::none)
      fail_use(name_, phase_, ArrayUse::local_access, "another phase");
    phase_ = phase;
  }
  /// Throws Error(misuse) when the phase of the array forbids that; place() says where.
  template <class Place>
  void require_use(ArrayUse use, Place place) const {
    if (phase_ == ArrayPhase::none || (phase_ == ArrayPhase::read_only && use == ArrayUse::get))
        [[likely]]
      return;
    fail_use(name_, phase_, use, place());
  }

  /// Does so for the element of these indices, and for the one that lies there.
  void require_indices(ArrayUse use, const std::ptrdiff_t* indices) const {
    require_use(use, [&] { return "element " + element_text(indices, layout_.dimensions()); });
  }
  ARMATURE_API void require_element(ArrayUse use, global_ptr<std::byte> at) const;

  /// The place of an element, or of the nearest copy of it. Throws Error(bad_argument) when an
  /// index lies outside.
  [[nodiscard]] ARMATURE_API global_ptr<std::byte> pointer(const std::ptrdiff_t* indices) const;
  /// The member of the team that has an element, or the nearest copy. Throws as pointer() does.
  [[nodiscard]] ARMATURE_API int owner(const std::ptrdiff_t* indices) const;
  /// The memory of a member.
  [[nodiscard]] global_ptr<std::byte> memory(int member) const {
    if (table_ == nullptr)
      return {team_.world_rank(member), blocks_[static_cast<std::size_t>(member)]};
    const auto share = table_->share(member);
    return {share.rank, static_cast<std::byte*>(share.address)};
  }

  /// Adds the transfers of a plan whose local side begins at `local`.
  ARMATURE_API void add(const std::vector<ArrayPartner>& plan, std::byte* local,
                        ArrayTransfers& transfers) const;
  /// Adds the transfers of single elements, of which there are `count`: their indices follow each
  /// other, and so do their values at `local`.
  ARMATURE_API void add_elements(const std::ptrdiff_t* indices, std::size_t count, std::byte* local,
                                 ArrayTransfers& transfers) const;
  /// The transfers of a section, planned now or kept from a call before.
  [[nodiscard]] ArrayPlanCache::Loan transfers(ArrayTransfers::Verb verb,
                                               const ArraySection& section,
                                               const PerDimension& strides,
                                               std::byte* local) const {
    require_use(use_of(verb), [&] { return section_text(section); });
    return plans_.lend(*this, verb, section, strides, local);
  }
  /// The plans of the last copies to this array.
  [[nodiscard]] ArrayCopyCache& copies() const { return copies_; }
  /// Throws Error(bad_argument) unless the section has this shape, that of a view.
  ARMATURE_API void require_shape(const ArraySection& section, const std::ptrdiff_t* extents,
                                  int dimensions) const;

  static ArrayUse use_of(ArrayTransfers::Verb verb) {
    using Verb = ArrayTransfers::Verb;
    return verb == Verb::get   ? ArrayUse::get
           : verb == Verb::put ? ArrayUse::put
                               : ArrayUse::accumulate;
  }

 private:
  /// The members to which a transfer of what `original` has goes.
  [[nodiscard]] std::vector<int> concerned(int original, ArrayTransfers::Verb verb) const;

  Team team_;
  int me_;
  std::string name_;
  ArrayLayout layout_;
  std::size_t element_bytes_;
  std::shared_ptr<const AllocationTable> table_;
  std::vector<std::byte*> blocks_;  // of all members, if they are not ours
  ArrayBlock block_;
  std::byte* mine_;
  int exceptions_;
  mutable ArrayPhase phase_ = ArrayPhase::none;
  mutable ArrayPlanCache plans_;
  mutable ArrayCopyCache copies_;
};

}  // namespace armature::detail

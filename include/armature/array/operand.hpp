#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "armature/array/ghosts.hpp"
#include "armature/array/plan.hpp"
#include "armature/array/schedule.hpp"
#include "armature/array/store.hpp"

namespace armature::detail {

/// A section that an elementwise operation reads, brought to where the elements of another section
/// are. It stays in its place if each member has the elements that it needs. If the members need
/// neighbours' elements that fit into the ghosts, they are exchanged. Else it is copied.
class ArrayOperand {
 public:
  enum class Way { in_place, by_ghosts, copied };

  /// Collective, as are fetch() and destruction. `alignment` is that of the operand's elements.
  ARMATURE_API ArrayOperand(const ArrayStore& out, const ArraySection& out_section,
                            const ArrayStore& in, const ArraySection& in_section,
                            std::size_t alignment);

  /// Brings what was written before: memory() shows it after.
  ARMATURE_API void fetch();
  [[nodiscard]] Way way() const { return way_; }
  /// The operand of the element that lies at place i of the caller's memory of `out` lies at place
  /// i of this memory.
  [[nodiscard]] const std::byte* memory() const { return memory_; }
  [[nodiscard]] ARMATURE_API std::size_t messages() const;

 private:
  Way way_ = Way::copied;
  const std::byte* memory_ = nullptr;
  std::unique_ptr<ArrayStore> copy_;
  std::optional<ArrayCopy> schedule_;
  std::optional<GhostTransfers> ghosts_;
};

}  // namespace armature::detail

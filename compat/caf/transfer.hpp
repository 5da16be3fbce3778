#pragma once

#include <cstddef>

#include <armature/rank.hpp>

#include "elements.hpp"
#include "section.hpp"

// Transfers of sections between this image and another one, or two others.

namespace caf {

/// A section of memory of a rank.
struct RemoteSection {
  armature::Rank rank;
  Section section;
  ElementType type;
};

/// Bytes from the first that a section has to behind its last one.
struct Extent {
  const std::byte* begin;
  std::size_t bytes;
};
[[nodiscard]] Extent extent_of(const Section& section, std::size_t element_bytes);

/// Assigns another image's elements to this image's. `may_overlap`: both may be in the same memory.
void get(const Section& to, const ElementType& to_type, const RemoteSection& from,
         bool may_overlap);
/// Assigns this image's elements to another image's. They may be reused when it returns.
void put(const RemoteSection& to, const Section& from, const ElementType& from_type,
         bool may_overlap);
/// Assigns one image's elements to another's, by way of this one.
void get_and_put(const RemoteSection& to, const RemoteSection& from);

}  // namespace caf

#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "copies/kind.hpp"
#include "copies/processors.hpp"
#include "copies/way.hpp"
#include "space/copy_choices.hpp"

// Chooses the way that serves a kind of copy on this node. The first rank that copies such bytes
// chooses for all: by ARMATURE_COPY, by a table of processors, or by a trial. Until it has, the
// others copy in the usual way.

namespace armature::copies {

/// ARMATURE_COPY: a way's name, for all kinds; "trial": as if the processor were unknown.
inline constexpr const char* copy_variable = "ARMATURE_COPY";
struct Wanted {
  std::optional<Way> way;
  bool trial = false;
};
/// Throws Error(start) for a word that is neither, or a way that this processor has not.
[[nodiscard]] Wanted wanted_way();

/// Chooses without a trial; nothing where there must be one.
[[nodiscard]] std::optional<Way> way_without_trial(const Wanted& wanted, const Processor& processor,
                                                   Kind kind);

/// The number of bytes from which on source and target fill three quarters of the last cache, so
/// that storing past it begins to pay.
[[nodiscard]] std::size_t past_cache_min();

/// Copies, and chooses, if nobody has begun to.
void choose_and_copy(space::CopyChoices& choices, Kind kind, void* to, const void* from,
                     std::size_t bytes, Processor (*processor)() = this_processor);

}  // namespace armature::copies

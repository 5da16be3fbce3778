#pragma once

#include <cstdint>
#include <span>

#include "team/lines.hpp"
#include "team/shown.hpp"

namespace armature::team {

/// Adds the bytes that member `me` reads of others in the round that is over to what it has to do
/// with them (wait/recorded_links.hpp). Called where that is recorded.
void record_reads(const Lines& lines, std::span<const std::int32_t> members, int me,
                  const Shown& read);

}  // namespace armature::team

#pragma once

#include <cstdint>
#include <span>

#include "space/mapping.hpp"

namespace armature::team {

/// Whether the job goes on after deaths.
[[nodiscard]] inline bool goes_on(const space::Mapping& job) {
  return job.header().settings.on_death == space::OnDeath::go_on;
}
/// The first of them that is dead, as far as known here; -1 when none is.
[[nodiscard]] int first_dead(const space::Mapping& job, std::span<const std::int32_t> ranks);

/// The failed-set hash: of the ranks without which the job goes on, as far as known here. Other
/// sets have another one, but for chance; that of no ranks is 0. Because of these deaths ranks may
/// have given up, or left out, calls that others are in.
[[nodiscard]] std::uint32_t failed_set_hash(const space::Mapping& job);

}  // namespace armature::team

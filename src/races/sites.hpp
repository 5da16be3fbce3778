#pragma once

#include <cstdint>
#include <string>

#include "races/region.hpp"

namespace armature::races {

/// The calling thread's place in the program, by the return addresses on its stack outside of this
/// library.
[[nodiscard]] Site site_of_caller(const char* call);
[[nodiscard]] Site site_at(const void* return_address, const char* call);
/// The number under which the region keeps it. With the region's lock.
[[nodiscard]] std::uint32_t keep(Region& region, const Site& site);

/// "{at RANK:ADDRESS,ADDRESS}": the launcher finds the line (command/run/places_in_text.hpp).
[[nodiscard]] std::string place_text(int rank, const Site& site);

}  // namespace armature::races

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "armature/balance.hpp"

namespace armature::balance {

/// The items in their order, one place after the other, each with as near as can be to its share
/// of the load: neighbours stay together. Each place has one at least, if there are enough. `kept`
/// says of each item at which place it stays, whose share it counts to; -1 of those that may go
/// anywhere. For where places come and go, and where each was before counts for nothing. `loads`
/// are not negative; there is a place.
[[nodiscard]] Plan in_rows(std::span<const double> loads, std::span<const int> kept, int places);

/// The first item of each place: there are as many items as places.
[[nodiscard]] std::vector<std::uint32_t> first_in_rows(std::span<const double> loads, int places);

}  // namespace armature::balance

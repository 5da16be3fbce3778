#pragma once

#include <cstdint>

#include "../image.hpp"
#include "arrays.hpp"

namespace caf::prif {

/// The team of a variable of type prif_team_type, which comes as a scalar in a descriptor. Throws
/// Refusal.
[[nodiscard]] TeamOfImages& team_of(const Array& variable);
/// The current one where there is no variable.
[[nodiscard]] TeamOfImages& team_or_current(const Array* variable);
/// Throws Refusal for numbers that no team can have.
[[nodiscard]] int number_of_team(std::int64_t number);

}  // namespace caf::prif

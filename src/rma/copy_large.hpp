#pragma once

#include <cstddef>

#include "copies/way.hpp"

namespace armature::rma {

/// Returns the way to copy rows, each of more than detail::copy_libc_max bytes, that are `bytes`
/// together, if no cache holds so many: they are stored past it. Else returns nullptr: each row is
/// a copy by itself. Skewed: some row lies differently in its cache lines here and there.
[[nodiscard]] copies::Copy way_past_cache(std::size_t bytes, bool are_skewed);

}  // namespace armature::rma

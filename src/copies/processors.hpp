#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "copies/kind.hpp"
#include "copies/way.hpp"

namespace armature::copies {

/// The processor as cpuid names it; an empty vendor where there is no cpuid.
struct Processor {
  std::string vendor;
  unsigned family = 0, model = 0;
};
[[nodiscard]] Processor this_processor();

/// The way that was measured to be the best on such a processor; nothing where that is not known.
[[nodiscard]] std::optional<Way> known_way(const Processor& processor, Kind kind);

}  // namespace armature::copies

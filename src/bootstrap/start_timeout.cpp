#include "bootstrap/start_timeout.hpp"

#include <algorithm>
#include <cstdint>

#include "base/variable.hpp"

namespace armature::bootstrap {

std::chrono::milliseconds start_timeout() {
  constexpr std::uint64_t default_s = 300, longest_s = 1'000'000;
  const std::uint64_t seconds = base::number_variable(start_timeout_variable).value_or(default_s);
  return std::chrono::seconds(std::clamp<std::uint64_t>(seconds, 1, longest_s));
}

}  // namespace armature::bootstrap

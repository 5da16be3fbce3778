#include "transport/protocol.hpp"

#include <algorithm>
#include <cstdint>

#include "base/variable.hpp"

namespace armature::transport {

const Protocol& Protocol::get() {
  static const Protocol protocol = [] {
    constexpr std::uint64_t large = std::uint64_t{1} << 40;
    Protocol chosen;
    if (const auto bytes = base::number_variable("ARMATURE_NET_COPY_MAX"))
      chosen.copied_max = std::min(*bytes, large);
    return chosen;
  }();
  return protocol;
}

}  // namespace armature::transport

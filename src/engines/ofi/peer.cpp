#include "engines/ofi/peer.hpp"

#include <algorithm>
#include <cstring>

namespace armature::transport {

void OfiPeer::Waiting::take(std::span<std::byte> to) {
  const auto copy_some = [&](std::span<const std::byte> from) {
    const std::size_t some = std::min(from.size(), to.size());
    if (some != 0) std::memcpy(to.data(), from.data(), some);
    to = to.subspan(some);
    done += some;
    return some;
  };
  if (done < head.size()) (void)copy_some(head.subspan(done));
  while (!to.empty()) {
    done_of_part += copy_some(part());
    if (!parts.empty() && part().empty()) {
      ++parts_done;
      done_of_part = 0;
    }
  }
}

}  // namespace armature::transport

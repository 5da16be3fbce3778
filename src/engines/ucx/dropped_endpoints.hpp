#pragma once

#include <cstdint>
#include <vector>

#include <ucp/api/ucp.h>

namespace armature::transport {

/// Endpoints of peers that were given up, until they can be closed.
///
/// They are closed when the engine is polled: a peer may be dropped from inside of what is closed.
/// What is under way there ends with an error.
///
/// Nor before UCX knows that the peer is dead, when that is why it was dropped: closed by force
/// with something under way to a peer whose death it discovers only then, UCX 1.13 ends the
/// process. A peer that hangs, or whose link is down, it does not notice; it is given the time in
/// which it notices a death many times over, and has then looked some times more: who had no core
/// all that time has not looked at all.
class DroppedEndpoints {
 public:
  /// `noticed`: whether UCX has found out that the peer is dead.
  void add(ucp_ep_h endpoint, const bool& noticed);
  void close_due() {
    if (!dropped_.empty()) [[unlikely]]
      look();
  }

 private:
  struct Dropped {
    ucp_ep_h endpoint;
    const bool* noticed;
    std::uint64_t since_ns;
    int looks_when_late = 0;
  };
  void look();

  std::vector<Dropped> dropped_;
};

}  // namespace armature::transport

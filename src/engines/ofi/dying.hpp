#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace armature::transport {

/// Peers whose processes have ended. They may have said so before, and that may still come: a
/// network that has lost it sends it again after 200 ms, and the end itself may overtake it. So
/// they count as lost only after that.
///
/// The time between two looks counts as `look_ns` at most. Whoever computes for seconds, and then
/// finds the end of a process, reads what that has sent first.
class Dying {
 public:
  static constexpr std::uint64_t patience_ns = 500'000'000;
  static constexpr std::uint64_t look_ns = 20'000'000;

  void add(int peer) { waited_ns_.try_emplace(peer, 0); }
  void forget(int peer) { waited_ns_.erase(peer); }
  [[nodiscard]] bool empty() const { return waited_ns_.empty(); }
  /// Looks again; returns those that count as lost from now on, and forgets them.
  [[nodiscard]] std::vector<int> due(std::uint64_t now_ns) {
    const std::uint64_t passed_ns = std::min(now_ns - looked_ns_, look_ns);
    looked_ns_ = now_ns;
    std::vector<int> lost;
    for (auto& [peer, waited_ns] : waited_ns_)
      if ((waited_ns += passed_ns) >= patience_ns) lost.push_back(peer);
    for (const int peer : lost) forget(peer);
    return lost;
  }

 private:
  std::uint64_t looked_ns_ = 0;
  std::map<int, std::uint64_t> waited_ns_;  // by peer
};

}  // namespace armature::transport

#pragma once

#include <cstdint>

#include "space/address_space.hpp"
#include "wait/latched.hpp"
#include "wait/wait_for.hpp"

namespace armature::wait {

/// Ranks that are gone cannot make a condition true any more. They may have done so before they
/// went, so it is looked at once more after their state was seen.
class GoneRanks {
 public:
  /// Throws Error(rank_lost) or Error(misuse) where a rank that is waited for has gone.
  void check(const space::AddressSpace& space, const WaitFor& wait, Latched& ready);

 private:
  [[nodiscard]] bool is_certain(const space::AddressSpace& space, int left);

  int left_ = -1;
  std::uint64_t since_ns_ = 0;
};

}  // namespace armature::wait

#pragma once

#include <cstdint>

#include "armature/error.hpp"

namespace armature::collective {

/// A member tells others that it has given a collective up.
struct Notice {
  std::uint32_t team = 0;
  std::uint32_t number = 0;  // of the collective
  Errc code = Errc::rank_lost;
  std::int32_t rank = -1;  // the dead one, or the one that has found the mistake
};

/// Whether all members are to hear of it. Of a death hear those alone that wait for a message which
/// is not sent because of it: others may still end well.
constexpr bool is_for_all(const Notice& notice) { return notice.code == Errc::bad_argument; }

}  // namespace armature::collective

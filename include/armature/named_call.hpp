#pragma once

#include <cstdint>

#include "armature/detail/export.hpp"

// A collective call of the library may be made of others: sort gathers samples, allocate reduces
// numbers of bytes. When members have not called the same, a message about those would name what
// the program has not written.

namespace armature {
class Team;

namespace detail {
class TeamState;

/// The calls that are made of collectives. Members tell each other the number, in 5 bits.
enum class UserCall : std::uint8_t {
  none,
  allocate,
  free,
  split,
  create_mutexes,
  destroy_mutexes,
  shared,
  sort,
  stable_sort,
  sort_by_key,
  partition,
  unique,
  nth_value,
  nth_element,
  find_if,
  min_element,
  max_element,
  minmax_element,
  reduce,  // of a range
  inner_product,
  count_if,
  any_of,
  histogram,
  inclusive_scan,
  exclusive_scan,
  make_container,
  size,     // of a container
  balance,  // of a container
  count
};

/// While it lives, the collectives of that team are parts of the call. The first one counts: calls
/// that one call makes are parts of it, too. Throws Error(misuse) naming the call for no team.
class NamedCall {
 public:
  ARMATURE_API NamedCall(const Team& team, UserCall call);
  NamedCall(const NamedCall&) = delete;
  NamedCall& operator=(const NamedCall&) = delete;
  ARMATURE_API ~NamedCall();

 private:
  TeamState* named_ = nullptr;  // nullptr: a part of another
};

}  // namespace detail
}  // namespace armature

#pragma once

#include <exception>
#include <utility>

#include "armature/detail/export.hpp"

// A collective call in which each member does something that may fail must end the same way for
// all. Otherwise the others would wait for a member that has thrown alone.

namespace armature {
class Team;

namespace detail {

/// Collective; a barrier, with which every member says whether it has done its part, and why not.
/// When one has not, all throw: the first of those its own exception, the others an Error of the
/// same code that names it. Want of memory is Error(out_of_memory) at all; of an exception that is
/// no Error the others get RemoteError(remote).
ARMATURE_API void agree(const Team& team, const char* call, const std::exception_ptr& failure);

/// Collective: what make() returns, when it has thrown at no member.
template <class Make>
auto make_at_all(const Team& team, const char* call, Make&& make) {
  std::exception_ptr failure;
  decltype(make()) made{};
  try {
    made = std::forward<Make>(make)();
  } catch (...) {
    failure = std::current_exception();
  }
  agree(team, call, failure);
  return made;
}

}  // namespace detail
}  // namespace armature

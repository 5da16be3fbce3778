#pragma once

#include "rma/operation.hpp"
#include "rma/protocol.hpp"

// One-sided operations as the look for unordered accesses sees them (races/races.hpp).

namespace armature::rma {

/// Tells of all that the operation touches at its peer. Throws Error(misuse) where an access of
/// another rank is not ordered with it. Returns the number of the last put.
std::uint32_t look_at(const Operation& what, bool is_later);
void look_at(const Atomic& what);
/// Tells that it has seen the words that it reads, as others have left them.
void tell_seen(const Operation& what);
void tell_seen(const Atomic& what);
/// Tells of a put whose signal says that it is there.
void look_at_signalled(const Operation& what);

/// The handle of a put that is complete already, but which the program has to wait for. The source
/// must not have changed by then: that throws Error(misuse).
[[nodiscard]] detail::Request* await_later(const Operation& what, std::uint32_t number);

/// Begins an operation on a node by `begin()`, and tells of it.
template <class Begin>
detail::Request* start_in_order(const Operation& what, Finish finish, Begin&& begin) {
  // Others count as those that are waited for at once.
  const bool is_later = finish == Finish::later && what.verb == Verb::put && what.is_one_piece();
  const std::uint32_t number = look_at(what, is_later);
  detail::Request* const request = begin();
  if (what.verb == Verb::get) tell_seen(what);
  return is_later && request == nullptr ? await_later(what, number) : request;
}

/// Begins an atomic on a node by `begin()`, and tells of it.
template <class Begin>
detail::Request* start_in_order(const Atomic& what, Begin&& begin) {
  look_at(what);
  detail::Request* const request = begin();
  tell_seen(what);
  return request;
}

/// Puts what a signal behind it tells of, on this node.
void put_before_signal(const Operation& what);

}  // namespace armature::rma

#pragma once

#include <cstdint>

namespace armature {
class Handle;
}

namespace armature::detail {

/// An operation under way, behind a Handle. Whoever starts one (a transport) makes it; the handle
/// that sees it complete, or abandons it, releases it.
struct Request {
  /// Whether it is complete. Does not block. The network does not progress by it; who asks polls it
  /// once for all that he asks for.
  bool (*is_complete)(Request& request);
  void (*release)(Request& request);
  /// Throws what went wrong, once it is complete; nullptr where nothing can.
  void (*check)(Request& request) = nullptr;
  /// Whether other ranks must make a call for it to be complete: of a message, a collective.
  bool needs_ranks = false;
  /// The result, once it is complete: the value that an atomic found.
  std::uint64_t value = 0;
};

/// Tests as Handle::test, but no other rank of the thread has its turn: for conditions of waits,
/// and for holders of a lock.
[[nodiscard]] bool test_quietly(Handle& operation);

}  // namespace armature::detail

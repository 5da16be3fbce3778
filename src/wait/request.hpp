#pragma once

namespace armature::detail {

/// An operation under way, behind a Handle. Whoever starts one (a transport) makes it; the handle
/// that sees it complete, or abandons it, releases it.
struct Request {
  /// Lets it progress; true once it is complete. Must not block.
  bool (*advance)(Request& request);
  void (*release)(Request& request);
  /// Throws what went wrong, once it is complete; nullptr where nothing can.
  void (*check)(Request& request) = nullptr;
};

}  // namespace armature::detail

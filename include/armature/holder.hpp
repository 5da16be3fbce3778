#pragma once

#include <memory>
#include <utility>

#include "armature/detail/request.hpp"

// Continuations and coroutines that wait often use an object which could move or end meanwhile. The
// future that they wait for cannot know it: only what called them does. So the caller names a
// holder for as long as it runs. Whatever begins to wait for a future then holds by it until it has
// run. When it runs the same holder is named again, for what that begins.

namespace armature::detail {

/// Holds something where it is, for what begins in its scope and waits.
class Holder {
 public:
  Holder() = default;
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  /// It is held until the last copy of the result has gone.
  [[nodiscard]] virtual std::shared_ptr<void> hold() = 0;

 protected:
  ~Holder() = default;
};

/// Names the holder of what begins to wait on a rank while it lives; nullptr: none. For the thread
/// that runs the rank.
class Holding {
 public:
  Holding(Sender& rank, Holder* holder) : me_(rank), before_(std::exchange(rank.holder, holder)) {}
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;
  ~Holding() { me_.holder = before_; }

 private:
  Sender& me_;
  Holder* const before_;
};

}  // namespace armature::detail

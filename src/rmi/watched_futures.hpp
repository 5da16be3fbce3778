#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "rmi/endpoint_context.hpp"

namespace armature::detail {
class FutureBase;
}

namespace armature::rmi {

/// The futures of a rank whose continuations are still to run. Either somebody else settles the
/// future and it has to be looked at, or it has been settled here just now.
class WatchedFutures {
 public:
  explicit WatchedFutures(EndpointContext& context) : context_(context) {}
  WatchedFutures(const WatchedFutures&) = delete;
  WatchedFutures& operator=(const WatchedFutures&) = delete;
  ~WatchedFutures() = default;

  /// Runs the future's continuations when somebody else has settled it, which is looked for.
  void watch(std::shared_ptr<detail::FutureBase> future);
  /// Runs the future's continuations soon: it has been settled here.
  void is_due(std::shared_ptr<detail::FutureBase> future);
  /// Settles the future when the rank that it waits for has died, where the job goes on. By whoever
  /// has the endpoint.
  [[nodiscard]] bool is_lost(detail::FutureBase& future) const;

  /// Whether settle() would run something; asked before falling asleep.
  [[nodiscard]] bool has_work() const;
  /// Runs the continuations of all that are settled. During a fence all are looked at, as an answer
  /// is part of it.
  void settle(bool during_fence) {
    if (are_any()) settle_all(during_fence);
  }
  [[nodiscard]] bool are_any() const { return !due_.empty() || !watched_.empty(); }

 private:
  void settle_all(bool during_fence);
  void run_due();

  EndpointContext& context_;
  std::vector<std::shared_ptr<detail::FutureBase>> watched_;
  std::uint64_t look_at_ns_ = 0;  // at those watched: not before, where they are many
  std::list<std::shared_ptr<detail::FutureBase>> due_;  // no memory while it is empty
};

}  // namespace armature::rmi

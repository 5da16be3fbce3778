#pragma once

#include <cstdint>

namespace armature::transport {

/// A model of faults between a sender and a receiver. It decides how much of what was published the
/// receiver sees yet, and whether the sender finds room. A real node has none; a simulation has
/// one, to delay and to clog. Order within a channel is kept.
class FaultModel {
 public:
  FaultModel() = default;
  FaultModel(const FaultModel&) = delete;
  FaultModel& operator=(const FaultModel&) = delete;
  virtual ~FaultModel() = default;

  /// Up to where `to` sees the channel from `from`, at most `published`. Never less than it said
  /// before.
  virtual std::uint64_t visible(int from, int to, std::uint64_t published) = 0;
  /// Whether a sender with room is to find none this time.
  virtual bool clogs(int from, int to) = 0;
  /// A rank that has been looking too early and may find something from now on, or -1: whoever runs
  /// ranks that wait to be notified notifies it. Each is named once.
  [[nodiscard]] virtual int take_due() { return -1; }
  /// Whether something is on its way that will be seen later.
  [[nodiscard]] virtual bool something_is_under_way() const = 0;
};

}  // namespace armature::transport

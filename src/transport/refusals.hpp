#pragma once

#include <cstdint>

namespace armature::transport {

/// The packets that a process has refused. They change nothing. The first is told of at once, the
/// others are counted. Under the links' lock.
class Refusals {
 public:
  enum class Why {
    strange,   // no process of this job has sent it to this one as it is
    repeated,  // it has come before
  };

  void add(Why why) {
    ++(why == Why::strange ? strange_ : repeated_);
    if (all() == 1 && on_first != nullptr) on_first(why);
  }
  [[nodiscard]] std::uint64_t strange() const { return strange_; }
  [[nodiscard]] std::uint64_t repeated() const { return repeated_; }
  [[nodiscard]] std::uint64_t all() const { return strange_ + repeated_; }

  /// Called with the first one.
  void (*on_first)(Why why) = nullptr;

 private:
  std::uint64_t strange_ = 0, repeated_ = 0;
};

}  // namespace armature::transport

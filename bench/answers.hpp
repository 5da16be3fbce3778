#pragma once

#include <cstddef>
#include <thread>

#include <armature/armature.hpp>

#include "bench/wire.hpp"

namespace armature::bench {

/// The calling thread, whose rank is bound to a core, may use every core.
void run_anywhere();

/// The least that serving another node can be. A thread of rank 1 sleeps on a TCP connection until
/// rank 0 asks for bytes, and sends as many, on whatever core is free. Made and destroyed by both.
class Answers {
 public:
  explicit Answers(World& world);
  ~Answers();
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;

  /// Rank 0. What was asked for is to be taken before anything else is asked.
  void ask(std::size_t bytes) const { wire_.give(&bytes, sizeof bytes); }
  void take(void* to, std::size_t bytes) const { wire_.take(to, bytes); }
  void take_asleep(void* to, std::size_t bytes) const { wire_.take_asleep(to, bytes); }

 private:
  Wire wire_;
  bool asks_;
  std::jthread answers_;
};

}  // namespace armature::bench

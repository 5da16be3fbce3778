#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "space/control.hpp"

namespace armature::wait {

/// A call waits for this, and on whom.
struct WaitFor {
  space::Awaiting what = space::Awaiting::nothing;
  int peer = -1;                               // whom; may be updated by the condition
  std::span<const std::int32_t> members = {};  // or all of these
  // Of these, whether members[i] has still to do its part; all have, unless said. A member that did
  // its part and then died is no reason to give up: so all survivors come to the same answer.
  bool (*awaits)(const WaitFor& wait, std::size_t i) = nullptr;
  std::uint32_t team = 0;
  const void* object = nullptr;
  std::uint64_t detail = 0;
  // Other ranks must make a call for this `completion`. A transfer is complete without.
  bool needs_ranks = false;
  bool is_notified =
      true;  // whoever makes the condition true notifies us; else we must look now and then
  // The condition holds as soon as this word, which only grows, has come to `detail`. The virtual
  // ranks of a process that wait so wait together: whoever writes the word notifies processes
  // (notify_gathered), not ranks.
  const std::atomic<std::uint64_t>* word = nullptr;
  const char* call = "wait";  // for messages
};

}  // namespace armature::wait

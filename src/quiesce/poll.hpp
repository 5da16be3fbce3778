#pragma once

namespace armature::quiesce {

/// Looks of a process none of whose ranks runs: at the network, where there is one, and at what
/// others say in the control block.
class Looks {
 public:
  void look();

 private:
  int looks_ = 0;  // in vain
};

/// Polls until the condition holds.
template <class Condition>
void poll_until(const Condition& condition) {
  for (Looks looks; !condition();) looks.look();
}

}  // namespace armature::quiesce

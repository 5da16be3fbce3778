#include "quiesce/poll.hpp"

#include "base/interleaving.hpp"
#include "net/network.hpp"

namespace armature::quiesce {

// Another process may be writing a checkpoint, for which this one's core is needed.
void Looks::look() {
  constexpr int looks_max = 10'000;
  net::Network* const net = net::network();
  if (net != nullptr && net->try_poll())
    looks_ = 0;
  else if (net != nullptr && ++looks_ < looks_max)
    base::yield_to_others();
  else
    base::pause_for_others(50'000);
}

}  // namespace armature::quiesce

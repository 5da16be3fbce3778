#include "wait/poller.hpp"

namespace armature::wait {

namespace detail {
constinit Poller* the_poller = nullptr;
}

void set_poller(Poller* poller) { detail::the_poller = poller; }

}  // namespace armature::wait

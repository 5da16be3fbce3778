#include "wait/poller.hpp"

namespace armature::wait {

namespace detail {
constinit Poller* the_poller = nullptr;

namespace {
struct Beside {
  Poller* poller = nullptr;
};
}  // namespace

Poller*& poller_beside() { return base::state<Beside>().poller; }
}  // namespace detail

void set_poller(Poller* poller) {
  base::note_extra();
  (base::Runtime::is_of_process() ? detail::the_poller : detail::poller_beside()) = poller;
}

}  // namespace armature::wait

// The thread beside a rank that executes incoming calls while the rank computes. It shares the
// rank's endpoint with it, one at a time, and its bell: a request that comes wakes whoever sleeps.
#include "base/start_thread.hpp"
#include "rmi/endpoint.hpp"
#include "wait/bell.hpp"

namespace armature::rmi {

void Endpoint::start_service() {
  if (!has_service()) return;
  context_.has_second_thread = true;
  service_ = base::start_thread("to execute calls beside the rank", [this] { serve(); });
}

void Endpoint::serve() {
  wait::set_this_rank(&context_);
  space::RankSlot& slot = space_.slot(space_.me());
  constexpr long look_again_ns = 100'000'000;
  const long nap_ns = wait::bells_work() ? look_again_ns : 1'000'000;
  // Acquire: what the rank did before it ended us is seen.
  while (!service_ends_.load(std::memory_order_acquire)) {
    {
      const Use in_use = use();
      const std::uint64_t before = executed();
      execute_all();
      if (executed() != before) {
        wait::ring(slot);  // the rank itself may wait for what has been done
        continue;
      }
    }
    wait::sleep(
        slot,
        [](void* me) {
          auto& endpoint = *static_cast<Endpoint*>(me);
          return endpoint.service_ends_.load(std::memory_order_acquire) || endpoint.has_work();
        },
        this, nap_ns);
  }
}

void Endpoint::end_service() {
  if (!service_.joinable()) return;
  service_ends_.store(true, std::memory_order_release);
  wait::ring(space_.slot(space_.me()));
  service_.join();
}

Endpoint::~Endpoint() { end_service(); }

}  // namespace armature::rmi

#include "rmi/service_thread.hpp"

#include <cstdint>

#include "base/start_thread.hpp"
#include "wait/notifier.hpp"

namespace armature::rmi {

void ServiceThread::start() {
  if (!context_.has_service) return;
  context_.rank.has_second_thread = true;
  thread_ = base::start_thread("to execute calls beside the rank", [this] { serve(); });
}

void ServiceThread::serve() {
  wait::set_this_rank(&context_.rank);
  space::RankSlot& slot = context_.space.slot(context_.space.me());
  constexpr long look_again_ns = 100'000'000;
  const long park_ns = wait::notifiers_work() ? look_again_ns : 1'000'000;
  // Acquire: what the rank did before it ended us is seen.
  while (!ends_.load(std::memory_order_acquire)) {
    {
      const EndpointContext::Use in_use = context_.use();
      const std::uint64_t before = inbox_.executed();
      if (!left_.are_full()) context_.endpoint.deliver();
      if (inbox_.executed() != before) {
        wait::notify(slot);  // the rank itself may wait for what has been done
        continue;
      }
    }
    wait::sleep(
        slot,
        [](void* me) {
          auto& self = *static_cast<ServiceThread*>(me);
          return self.ends_.load(std::memory_order_acquire) || self.has_work();
        },
        this, wait::Notified::surely, park_ns);
  }
}

/// Work of the rank itself is none of it.
bool ServiceThread::has_work() {
  {
    const EndpointContext::Use in_use = context_.use();
    if (left_.are_full()) return false;
  }
  return context_.endpoint.has_work();
}

void ServiceThread::end() {
  if (!thread_.joinable()) return;
  ends_.store(true, std::memory_order_release);
  wait::notify(context_.space.slot(context_.space.me()));
  thread_.join();
}

}  // namespace armature::rmi

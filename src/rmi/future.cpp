#include "armature/future.hpp"

#include <string>
#include <utility>

#include "base/fail.hpp"
#include "progress/wait.hpp"
#include "rmi/endpoint.hpp"

namespace armature::detail {

FutureBase::~FutureBase() = default;

void FutureBase::settle() { settled_ = true; }

bool FutureBase::test() {
  if (poll()) return true;
  rmi::Endpoint& endpoint = rmi::this_endpoint("future::test");
  // A method is not interrupted unless it waits.
  endpoint.in_method() ? endpoint.flush() : endpoint.deliver();
  progress::let_others_run();
  return poll();
}

void FutureBase::wait() {
  if (poll()) return run_continuations();
  rmi::Endpoint& endpoint = rmi::this_endpoint("future::wait");
  progress::WaitFor wait{
      .what = space::Awaiting::answer, .peer = awaited(), .object = this, .call = "future::wait"};
  progress::wait_until(wait, [&] {
    if (poll()) return true;
    endpoint.deliver();
    wait.peer = awaited();
    return poll();
  });
  run_continuations();
}

void FutureBase::on_settled(std::function<void()> continuation) {
  continuations_.push_back(std::move(continuation));
  if (poll()) return run_continuations();
  if (!watched_) rmi::this_endpoint("future::then").watch(shared_from_this());
  watched_ = true;
}

void FutureBase::run_continuations() {
  const auto due = std::exchange(continuations_, {});
  for (const auto& continuation : due) continuation();
}

void no_future(const char* call) {
  base::fail(Errc::misuse,
             std::string(call) + ": this future has no result: it was fetched already, or moved");
}

}  // namespace armature::detail

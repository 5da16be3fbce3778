#include "armature/future.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "armature/detail/wait_for_team.hpp"
#include "armature/holder.hpp"
#include "base/fail.hpp"
#include "net/network.hpp"
#include "rmi/endpoint.hpp"
#include "team/team_state.hpp"
#include "wait/poller.hpp"
#include "wait/rank_context.hpp"
#include "wait/thread_call.hpp"
#include "wait/wait.hpp"

namespace armature::detail {

FutureBase::~FutureBase() = default;

// Continuations run from a list, not from here: a chain of them takes no stack.
void FutureBase::settle() {
  settled_ = true;
  if (!continuations_.empty() && !comes_from_outside())
    rmi::this_endpoint("future").futures().is_due(shared_from_this());
}

namespace {

/// A future of a thread that executes no calls has no continuations, and nobody else looks at it.
/// Other futures are looked at by the holder of the endpoint.
rmi::Endpoint::Use use_for(rmi::Endpoint& endpoint, const FutureBase& future) {
  if (!rmi::executes_calls() && future.comes_from_outside()) return {};
  return endpoint.use();
}

bool poll_held(rmi::Endpoint& endpoint, FutureBase& future) {
  const rmi::Endpoint::Use in_use = use_for(endpoint, future);
  return future.poll();
}

Rank awaited_held(rmi::Endpoint& endpoint, const FutureBase& future) {
  const rmi::Endpoint::Use in_use = use_for(endpoint, future);
  return future.awaited();
}

}  // namespace

namespace {

/// The holder of what a continuation begins: what it has held itself.
class HeldAgain final : public Holder {
 public:
  explicit HeldAgain(const std::shared_ptr<void>& held) : held_(held) {}
  [[nodiscard]] std::shared_ptr<void> hold() override { return held_; }

 private:
  const std::shared_ptr<void>& held_;
};

/// Whether only the network settles it.
bool is_of_operation(const FutureBase& future) {
  if (!future.comes_from_outside()) return false;
  rmi::Endpoint* const endpoint = rmi::endpoint_of_caller();
  return (endpoint == nullptr ? future.awaited() : awaited_held(*endpoint, future)) == Rank::none();
}

/// Waits as Handle::wait: by any thread, also one that runs no rank, and nobody notifies it.
void wait_for_operation(FutureBase& operation) {
  wait::WaitFor wait{
      .what = space::Awaiting::completion, .is_notified = false, .call = "future::wait"};
  wait::wait_until(wait, [&] {
    if (operation.is_there()) return true;
    if (wait::Poller* const net = wait::poller()) (void)net->try_poll();
    return operation.is_there();
  });
}

}  // namespace

void FutureBase::wait() {
  const wait::ThreadCall under_way("future::wait");
  if (is_of_operation(*this)) {
    wait_for_operation(*this);
    if (rmi::executes_calls()) run_continuations();
    return;
  }
  rmi::Endpoint& endpoint = rmi::endpoint_of_caller("future::wait");
  const bool executes = rmi::executes_calls();
  wait::WaitFor wait{.what = space::Awaiting::answer,
                     .peer = awaited_held(endpoint, *this),
                     .object = this,
                     .call = "future::wait"};
  if (!executes) endpoint.publish();  // at once: it may be the call that is to be answered
  std::optional<rmi::LetOthersCall> concurrent_ones(std::in_place, endpoint.context());
  std::optional<rmi::MethodWaits> waits(std::in_place, endpoint.methods());
  wait::wait_until(wait, [&] {
    if (poll_held(endpoint, *this)) return true;
    if (executes) endpoint.deliver();
    wait.peer = awaited_held(endpoint, *this);
    return poll_held(endpoint, *this);
  });
  waits.reset();
  concurrent_ones.reset();
  if (executes) run_continuations();
}

bool FutureBase::is_there() {
  rmi::Endpoint* const endpoint = rmi::endpoint_of_caller();
  if (endpoint == nullptr) return poll();  // a result stays there once the rank has left the job
  const rmi::CallBeside under_way("future::test");
  const rmi::Endpoint::Use in_use = use_for(*endpoint, *this);
  return poll() || endpoint->futures().is_lost(*this);
}

bool FutureBase::test() {
  const wait::ThreadCall under_way("future::test");
  rmi::Endpoint& endpoint = rmi::endpoint_of_caller("future::test");
  if (poll_held(endpoint, *this)) return true;
  {
    // A method is not interrupted unless it waits.
    const rmi::Endpoint::Use in_use = endpoint.use();
    const bool executes = rmi::executes_calls() && !endpoint.context().in_method();
    executes ? endpoint.deliver() : endpoint.outbox().flush();
  }
  wait::let_others_run();
  return is_there();
}

void FutureBase::on_settled(std::function<void()> continuation) {
  rmi::Endpoint& endpoint = rmi::this_endpoint("future::then");
  const rmi::Endpoint::Use in_use = endpoint.use();
  Holder* const holder = endpoint.context().sender.holder;
  continuations_.push_back({std::move(continuation), holder == nullptr ? nullptr : holder->hold()});
  if (poll()) return run_continuations();
  if (!watched_ && comes_from_outside()) endpoint.futures().watch(shared_from_this());
  watched_ = true;
}

void FutureBase::run_continuations() {
  rmi::Endpoint& endpoint = rmi::this_endpoint("future");
  const rmi::Endpoint::Use in_use = endpoint.use();
  auto due = std::exchange(continuations_, {});
  if (due.empty()) return;
  // Nobody polls the network while one computes.
  if (net::Network* const net = net::network()) net->thread().resume();
  struct Continuing {
    explicit Continuing(int& all) : depth(++all) {}
    ~Continuing() { --depth; }
    int& depth;
  };
  const Continuing under_way(endpoint.context().continuing);
  int nobodys = 0;
  const Continuing own_one(wait::runs_rank() ? endpoint.context().own_continuing : nobodys);
  for (Continuation& one : due) {
    const Continuation continuation = std::move(one);
    HeldAgain held(continuation.held);
    const Holding holding(endpoint.context().sender,
                          continuation.held == nullptr ? nullptr : &held);
    continuation.run();
  }
  // Continuations may have left this rank more to do, for which nobody notifies it.
  endpoint.context().made_progress();
}

// Inside a method, and where no other thread executes calls, it is alone anyway. A thread that
// executes none must not keep those from it that do.
Alone::Alone() : endpoint_(nullptr) {
  if (!rmi::executes_calls()) return;
  rmi::Endpoint& endpoint = rmi::Endpoint::of(*sender);
  rmi::Endpoint::Use in_use = endpoint.use();
  if (in_use.release() != nullptr) endpoint_ = &endpoint;
}

Alone::~Alone() {
  if (endpoint_ != nullptr) static_cast<rmi::Endpoint*>(endpoint_)->context().mutex.unlock();
}

namespace {

void wait_for_ranks(std::span<const std::int32_t> ranks, bool (*is_there)(void* what), void* what,
                    const char* call) {
  const wait::ThreadCall under_way(call);
  rmi::Endpoint& endpoint = rmi::endpoint_of_caller(call);
  const bool executes = rmi::executes_calls();
  wait::WaitFor wait{.what = space::Awaiting::answer,
                     .members = ranks,
                     .object = what,
                     .is_notified = false,
                     .call = call};
  wait::wait_until(wait, [&] {
    if (is_there(what)) return true;
    if (executes) endpoint.deliver();
    return is_there(what);
  });
}

}  // namespace

void wait_until(bool (*is_there)(void* what), void* what, const char* call) {
  const wait::ThreadCall under_way(call);
  rmi::Endpoint& endpoint = rmi::endpoint_of_caller(call);
  const rmi::LetOthersCall concurrent_ones(endpoint.context());
  const rmi::MethodWaits waits(endpoint.methods());
  wait_for_ranks({}, is_there, what, call);
}

void wait_for_team(const Team& team, bool (*is_there)(void* what), void* what, const char* call) {
  wait_for_ranks(team.state()->members(), is_there, what, call);
}

void nothing_to_wait_for(const char* call) {
  base::fail(Errc::bad_argument, std::string(call) + ": there is nothing to wait for");
}

void no_room_for_indices(const char* call) {
  base::fail(Errc::bad_argument, std::string(call) + ": less room for indices than futures");
}

void no_future(const char* call) {
  base::fail(Errc::misuse,
             std::string(call) + ": this future has no result: it was fetched already, or moved");
}

}  // namespace armature::detail

#include "armature/handle.hpp"

#include <exception>
#include <memory>
#include <utility>

#include "armature/error.hpp"
#include "base/fail.hpp"
#include "wait/implicit.hpp"
#include "wait/poller.hpp"
#include "wait/rank_context.hpp"
#include "wait/request.hpp"
#include "wait/thread_call.hpp"
#include "wait/wait.hpp"

namespace armature {
namespace detail {

bool test(Request*& request) {
  const wait::ThreadCall under_way("Handle::test");
  const bool is_complete = request->advance(*request);
  if (wait::Poller* const net = wait::poller()) net->polled_once();
  if (!is_complete) return false;
  const auto release = [](Request* done) { done->release(*done); };
  const std::unique_ptr<Request, decltype(release)> done(std::exchange(request, nullptr), release);
  if (done->check != nullptr) done->check(*done);
  return true;
}

void wait(Request*& request) {
  const wait::ThreadCall under_way("Handle::wait");
  wait::WaitFor what{.what = space::Awaiting::completion, .rings = false, .call = "Handle::wait"};
  wait::wait_until(what, [&] { return request->advance(*request); });
  (void)test(request);
}

// Whoever abandons it does not ask how it went.
void abandon(Request* request) noexcept {
  request->check = nullptr;
  try {
    wait(request);
  } catch (const Error&) {
    // The process has left its job. The request stays: its answer may be on its way even now.
  }
}

void keep_implicit(Rank rank, Handle operation, const char* call) {
  // A thread that runs no rank has nobody to keep it for.
  if (wait::current_rank() == nullptr) return operation.wait();
  wait::implicit_of(wait::this_rank(call)).add(rank, std::move(operation));
}

}  // namespace detail

void wait_all(std::span<Handle> handles) {
  for (Handle& handle : handles) handle.wait();
}

bool test_all(std::span<Handle> handles) {
  bool all = true;
  for (Handle& handle : handles) all = handle.test() && all;
  return all;
}

std::size_t test_any(std::span<Handle> handles) {
  std::size_t i = 0;
  while (i < handles.size() && !handles[i].test()) ++i;
  return i;
}

std::size_t wait_any(std::span<Handle> handles) {
  if (handles.empty()) base::fail(Errc::bad_argument, "wait_any: there is no handle to wait for");
  const wait::ThreadCall under_way("wait_any");
  std::size_t done = handles.size();
  wait::WaitFor what{.what = space::Awaiting::completion, .rings = false, .call = "wait_any"};
  std::exception_ptr failure;  // thrown when nobody sleeps any more
  wait::wait_until(what, [&] {
    try {
      return (done = test_any(handles)) < handles.size();
    } catch (const Error&) {
      failure = std::current_exception();
      return true;
    }
  });
  if (failure) std::rethrow_exception(failure);
  return done;
}

// Operations with implicit handle between ranks of a node are complete when their call returns.
void wait_all() {
  const wait::ThreadCall under_way("wait_all");
  if (wait::poller() != nullptr) wait::implicit_of(wait::this_rank("wait_all")).wait();
}

void wait_all(Rank rank) {
  const wait::ThreadCall under_way("wait_all");
  wait::mapping("wait_all").require_rank(rank, "wait_all");
  if (wait::poller() != nullptr) wait::implicit_of(wait::this_rank("wait_all")).wait(rank);
}

}  // namespace armature

#include "armature/handle.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "armature/detail/future_state.hpp"
#include "armature/error.hpp"
#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "wait/cost_model.hpp"
#include "wait/implicit.hpp"
#include "wait/poller.hpp"
#include "wait/rank_context.hpp"
#include "wait/request.hpp"
#include "wait/thread_call.hpp"
#include "wait/wait.hpp"

namespace armature {
namespace detail {

namespace {

bool is_complete_by_now(Request& request) {
  if (request.is_complete(request)) return true;
  wait::Poller* const net = wait::poller();
  if (net == nullptr) return false;
  (void)net->try_poll();
  return request.is_complete(request);
}

/// Ends a request that is complete: returns its value, or throws what went wrong.
std::uint64_t end(Request*& request) {
  const auto release = [](Request* done) { done->release(*done); };
  const std::unique_ptr<Request, decltype(release)> done(std::exchange(request, nullptr), release);
  if (done->check != nullptr) done->check(*done);
  return done->value;
}

/// Whether it is complete; then its value.
bool test(Request*& request, std::uint64_t& value) {
  const wait::ThreadCall under_way("Handle::test");
  const bool is_complete = is_complete_by_now(*request);
  if (wait::Poller* const net = wait::poller()) net->thread().polled_once();
  if (is_complete) value = end(request);
  return is_complete;
}

/// Takes the operation of a handle, and gives it back where that has not ended: `what` runs no
/// method, so that nobody finds the handle empty meanwhile.
template <class Do>
bool on_operation(Handle& operation, Do&& what) {
  struct Borrowed {
    Handle& from;
    Request* request;
    ~Borrowed() {
      if (request != nullptr) from = Handle(request);
    }
  } borrowed{operation, operation.release()};
  return borrowed.request == nullptr || what(borrowed.request);
}

}  // namespace

bool test(Request*& request) {
  std::uint64_t value = 0;
  if (test(request, value)) return true;
  wait::let_others_have_turn();
  return false;
}

// Methods run meanwhile, and may look at the same handle: one of them may end the operation.
void wait(Request*& request) {
  const wait::ThreadCall under_way("Handle::wait");
  wait::WaitFor what{.what = space::Awaiting::completion,
                     .needs_ranks = request != nullptr && request->needs_ranks,
                     .is_notified = false,
                     .call = "Handle::wait"};
  wait::wait_until(what, [&] { return request == nullptr || is_complete_by_now(*request); });
  if (request != nullptr) (void)end(request);
}

bool test_quietly(Handle& operation) {
  std::uint64_t value = 0;
  return operation.is_empty() ||
         on_operation(operation, [&](Request*& request) { return test(request, value); });
}

bool test_operation(Handle& operation, std::uint64_t& value) {
  const bool is_complete =
      on_operation(operation, [&](Request*& request) { return test(request, value); });
  if (!is_complete) wait::let_others_have_turn();
  return is_complete;
}

bool look_at_operation(Handle& operation, std::uint64_t& value) {
  return on_operation(operation, [&](Request*& request) {
    const bool is_complete = request->is_complete(*request);
    if (is_complete) value = end(request);
    return is_complete;
  });
}

// An abandoned request is not asked how it went.
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
  for (Handle& handle : handles) all = detail::test_quietly(handle) && all;
  if (!all) wait::let_others_have_turn();
  return all;
}

namespace {

std::size_t first_complete(std::span<Handle> handles) {
  std::size_t i = 0;
  while (i < handles.size() && !detail::test_quietly(handles[i])) ++i;
  return i;
}

}  // namespace

std::size_t test_any(std::span<Handle> handles) {
  const std::size_t first = first_complete(handles);
  if (first == handles.size()) wait::let_others_have_turn();
  return first;
}

std::size_t wait_any(std::span<Handle> handles) {
  if (handles.empty()) base::fail(Errc::bad_argument, "wait_any: there is no handle to wait for");
  const wait::ThreadCall under_way("wait_any");
  std::size_t done = handles.size();
  wait::WaitFor what{.what = space::Awaiting::completion, .is_notified = false, .call = "wait_any"};
  std::exception_ptr failure;  // thrown when nobody sleeps any more
  wait::wait_until(what, [&] {
    try {
      return (done = first_complete(handles)) < handles.size();
    } catch (const Error&) {
      failure = std::current_exception();
      return true;
    }
  });
  if (failure) std::rethrow_exception(failure);
  return done;
}

namespace {

void require_room(std::span<Handle> handles, std::span<std::size_t> complete, const char* call) {
  if (complete.size() >= handles.size()) return;
  base::fail(Errc::bad_argument, std::string(call) + ": less room for indices than handles");
}

/// Writes which are empty.
std::size_t note_complete(std::span<Handle> handles, std::span<std::size_t> complete) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < handles.size(); ++i)
    if (handles[i].is_empty()) complete[count++] = i;
  return count;
}

}  // namespace

std::size_t test_some(std::span<Handle> handles, std::span<std::size_t> complete) {
  require_room(handles, complete, "test_some");
  (void)test_all(handles);
  return note_complete(handles, complete);
}

std::size_t wait_some(std::span<Handle> handles, std::span<std::size_t> complete) {
  require_room(handles, complete, "wait_some");
  (void)wait_any(handles);
  return test_some(handles, complete);
}

namespace {

[[gnu::noinline]] void wait_for_implicit() {
  const wait::ThreadCall under_way("wait_all");
  if (wait::completes_later()) wait::implicit_of(wait::this_rank("wait_all")).wait();
}

}  // namespace

// Operations with implicit handle between ranks of a node are complete when their call returns.
void wait_all() {
  if (!wait::runs_rank() || base::has_extras()) [[unlikely]]
    wait_for_implicit();
}

void wait_all(Rank rank) {
  const wait::ThreadCall under_way("wait_all");
  wait::mapping("wait_all").require_rank(rank, "wait_all");
  if (wait::completes_later()) wait::implicit_of(wait::this_rank("wait_all")).wait(rank);
}

}  // namespace armature

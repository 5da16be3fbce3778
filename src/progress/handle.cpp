#include "armature/handle.hpp"

#include <utility>

#include "base/fail.hpp"
#include "progress/rank_context.hpp"
#include "progress/request.hpp"
#include "progress/wait.hpp"

namespace armature {
namespace detail {

bool test(Request*& request) {
  if (!request->advance(*request)) return false;
  Request* done = std::exchange(request, nullptr);
  done->release(*done);
  return true;
}

void wait(Request*& request) {
  progress::WaitFor what{
      .what = space::Awaiting::completion, .rings = false, .call = "Handle::wait"};
  progress::wait_until(what, [&] { return test(request); });
}

void abandon(Request* request) noexcept { wait(request); }

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
  std::size_t done = handles.size();
  progress::WaitFor what{.what = space::Awaiting::completion, .rings = false, .call = "wait_any"};
  progress::wait_until(what, [&] { return (done = test_any(handles)) < handles.size(); });
  return done;
}

// Operations with implicit handle between ranks of a node are complete when their call returns.
void wait_all() {
  if (progress::network() != nullptr) progress::this_rank("wait_all").implicit.wait();
}

void wait_all(Rank rank) {
  progress::mapping("wait_all").require_rank(rank, "wait_all");
  if (progress::network() != nullptr) progress::this_rank("wait_all").implicit.wait(rank);
}

}  // namespace armature

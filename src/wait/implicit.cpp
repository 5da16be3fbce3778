#include "wait/implicit.hpp"

#include <algorithm>
#include <utility>

#include "armature/error.hpp"
#include "wait/request.hpp"
#include "wait/wait.hpp"

namespace armature::wait {

void Implicit::add(Rank to, Handle handle) {
  std::uint64_t oldest = 0;
  {
    const std::lock_guard locked(mutex_);
    const bool are_many = pending_.size() >= pending_max;
    pending_.push_back({.number = next_++, .to = to, .handle = std::move(handle)});
    if (are_many) oldest = pending_[pending_max / 2].number;
  }
  if (oldest != 0) wait_for({.before = oldest});
}

void Implicit::wait(Rank to) {
  const Which which{.to = to, .before = next()};
  wait_for(which);
  throw_failure(which);
}

bool Implicit::test(Rank to) {
  const Which which{.to = to};
  std::uint64_t first = 0;
  if (!are_complete(which, first)) return false;
  throw_failure(which);
  return true;
}

std::uint64_t Implicit::next() {
  const std::lock_guard locked(mutex_);
  return next_;
}

/// Whether those are; they leave then, but for the failed. `first` and what follows it are looked
/// at, up to one that is not, and `first` is that one then.
bool Implicit::are_complete(const Which& which, std::uint64_t& first) {
  const std::lock_guard locked(mutex_);
  auto one = std::ranges::lower_bound(pending_, first, {}, &Pending::number);
  for (; one != pending_.end() && one->number < which.before; ++one) {
    if (!which.has(*one)) continue;
    first = one->number;
    try {
      one->is_complete = armature::detail::test_quietly(one->handle);
    } catch (const Error&) {
      one->is_complete = true;
      one->failure = std::current_exception();
    }
    if (!one->is_complete) return false;
  }
  std::erase_if(pending_,
                [](const Pending& each) { return each.is_complete && each.failure == nullptr; });
  return true;
}

void Implicit::wait_for(const Which& which) {
  std::uint64_t first = 0;
  WaitFor what{.what = space::Awaiting::completion, .is_notified = false, .call = "wait_all"};
  wait_until(what, [&] { return are_complete(which, first); });
}

/// Throws a failure of those operations, which are over; none of them is told again.
void Implicit::throw_failure(const Which& which) {
  std::exception_ptr failure;
  {
    const std::lock_guard locked(mutex_);
    std::erase_if(pending_, [&](const Pending& each) {
      if (each.failure == nullptr || !which.has(each)) return false;
      if (failure == nullptr) failure = each.failure;
      return true;
    });
  }
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace armature::wait

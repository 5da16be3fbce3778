#include "progress/implicit.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "armature/error.hpp"
#include "progress/wait.hpp"

namespace armature::progress {

void Implicit::add(Rank to, Handle handle) {
  std::uint64_t oldest = 0;
  {
    const std::lock_guard locked(mutex_);
    const bool are_many = pending_.size() >= pending_max;
    pending_.push_back({next_++, to, std::move(handle)});
    if (are_many) oldest = pending_[pending_max / 2].number;
  }
  if (oldest != 0) wait_for({.before = oldest});
}

std::uint64_t Implicit::next() {
  const std::lock_guard locked(mutex_);
  return next_;
}

/// Whether those are; they leave then. `first` and what follows it are looked at, up to one that is
/// not, and `first` is that one then.
bool Implicit::are_complete(const Which& which, std::uint64_t& first) {
  const std::lock_guard locked(mutex_);
  auto one = std::ranges::lower_bound(pending_, first, {}, &Pending::number);
  for (; one != pending_.end() && one->number < which.before; ++one) {
    if (which.to != Rank::none() && one->to != which.to) continue;
    first = one->number;
    one->is_complete = one->handle.test();
    if (!one->is_complete) return false;
  }
  std::erase_if(pending_, [](const Pending& each) { return each.is_complete; });
  return true;
}

void Implicit::wait_for(Which which) {
  which.before = std::min(which.before, next());
  std::uint64_t first = 0;
  std::exception_ptr failure;  // thrown when nobody sleeps any more
  WaitFor what{.what = space::Awaiting::completion, .rings = false, .call = "wait_all"};
  wait_until(what, [&] {
    try {
      return are_complete(which, first);
    } catch (const Error&) {
      failure = std::current_exception();
      return true;
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace armature::progress

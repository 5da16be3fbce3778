#include "rmi/watched_futures.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "armature/future.hpp"
#include "base/clock.hpp"
#include "base/fail.hpp"

namespace armature::rmi {

void WatchedFutures::watch(std::shared_ptr<detail::FutureBase> future) {
  const EndpointContext::Use in_use = context_.use();
  watched_.push_back(std::move(future));
}

void WatchedFutures::is_due(std::shared_ptr<detail::FutureBase> future) {
  const EndpointContext::Use in_use = context_.use();
  due_.push_back(std::move(future));
}

bool WatchedFutures::has_work() const {
  return !due_.empty() || std::any_of(watched_.begin(), watched_.end(),
                                      [](const auto& future) { return future->poll(); });
}

void WatchedFutures::run_due() {
  // A continuation that waits lets others be run behind it.
  while (!due_.empty()) {
    const auto future = std::move(due_.front());
    due_.pop_front();
    future->run_continuations();
  }
}

void WatchedFutures::settle_all(bool during_fence) {
  run_due();
  if (watched_.empty()) return;
  // A look costs time for each: where they are many, a rank that polls all the time spends a fifth
  // of it on that.
  constexpr std::size_t few = 64;
  constexpr std::uint64_t pause_max_ns = 5'000'000;
  const bool takes_long =
      watched_.size() > few && context_.rank.fault_model == nullptr && !during_fence;
  const std::uint64_t began_ns = takes_long ? base::now_ns() : 0;
  // A time further ahead is of another machine's clock.
  if (takes_long && look_at_ns_ > began_ns && look_at_ns_ - began_ns <= pause_max_ns) return;
  // Continuations may watch others, and wait: what is settled leaves the list first. And they
  // settle others.
  std::vector<std::shared_ptr<detail::FutureBase>> settled;
  do {
    settled.clear();
    std::erase_if(watched_, [&](const auto& future) {
      if (!future->poll() && !is_lost(*future)) return false;
      settled.push_back(future);
      return true;
    });
    if (takes_long) {
      const std::uint64_t now_ns = base::now_ns();
      look_at_ns_ = now_ns + std::min(4 * (now_ns - began_ns), pause_max_ns);
    }
    for (const auto& future : settled) future->run_continuations();
    run_due();
  } while (!settled.empty() && !takes_long);
}

bool WatchedFutures::is_lost(detail::FutureBase& future) const {
  const space::AddressSpace& space = context_.space;
  if (space.header().settings.on_death != space::OnDeath::go_on ||
      space.header().gone.deaths.load(std::memory_order_acquire) == 0)
    return false;
  const int rank = future.awaited();
  if (rank < 0 || space.slot(rank).life.load(std::memory_order_acquire) != space::Life::dead)
    return false;
  if (future.poll()) return true;  // the last that it did
  try {
    base::fail(Errc::rank_lost, fmt::format("a future: rank {} has died", rank));
  } catch (...) {
    future.fail(std::current_exception());
  }
  return true;
}

}  // namespace armature::rmi

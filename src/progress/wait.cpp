#include "progress/wait.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "progress/bell.hpp"
#include "space/address_space.hpp"

namespace armature::progress {

void (*deliver)() = nullptr;

namespace {

using space::AddressSpace;
using space::Life;

int spins_before_long = 1;
bool cores_are_shared = true;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Writes the wait record; sequence is odd while it changes.
void publish(space::WaitRecord& record, const WaitFor& wait, std::uint64_t since_ns) {
  record.sequence.fetch_add(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  record.peer.store(wait.peer, std::memory_order_relaxed);
  record.team.store(wait.team, std::memory_order_relaxed);
  record.object.store(reinterpret_cast<std::uint64_t>(wait.object), std::memory_order_relaxed);
  record.detail.store(wait.detail, std::memory_order_relaxed);
  record.since_ns.store(since_ns, std::memory_order_relaxed);
  record.awaiting.store(wait.what, std::memory_order_relaxed);
  record.sequence.fetch_add(1, std::memory_order_release);
}

/// Takes the record back however the wait ends.
class Published {
 public:
  Published(space::WaitRecord& record, const WaitFor& wait)
      : record_(record), since_ns_(base::now_ns()), peer_(wait.peer) {
    publish(record_, wait, since_ns_);
  }
  Published(const Published&) = delete;
  Published& operator=(const Published&) = delete;
  ~Published() { publish(record_, WaitFor{}, 0); }

  void refresh(const WaitFor& wait) {
    if (wait.peer == peer_) return;
    peer_ = wait.peer;
    publish(record_, wait, since_ns_);
  }
  [[nodiscard]] std::uint64_t since_ns() const { return since_ns_; }

 private:
  space::WaitRecord& record_;
  std::uint64_t since_ns_;
  int peer_;
};

[[noreturn]] void lost(const WaitFor& wait, int rank) {
  base::fail(Errc::rank_lost, fmt::format("{}: rank {} has died", wait.call, rank));
}

/// Ranks that are gone cannot make the condition true; it may be true already, so look once more first.
void check_deaths(const WaitFor& wait, detail::Ready ready, void* condition) {
  const AddressSpace& space = AddressSpace::instance();
  if (space.header().on_death != space::OnDeath::go_on || ready(condition)) return;
  auto dead = [&](int rank) {
    return rank >= 0 && rank < space.ranks() && space.slot(rank).life.load(std::memory_order_acquire) == Life::dead;
  };
  if (dead(wait.peer)) lost(wait, wait.peer);
  for (const std::int32_t rank : wait.members)
    if (dead(rank)) lost(wait, rank);
}

}  // namespace

int spins() { return spins_before_long; }

void start_waiting() {
  const AddressSpace& space = AddressSpace::instance();
  cores_are_shared = static_cast<std::uint32_t>(space.ranks()) > space.header().cores;
  spins_before_long = cores_are_shared ? 4 : 400;
  prepare_bells();
}

namespace detail {

void wait_long(WaitFor& wait, Ready ready, void* condition) {
  constexpr std::uint64_t yield_ns = 1'000'000;  // yields that long before it sleeps
  constexpr long nap_max_ns = 1'000'000, sleep_max_ns = 100'000'000;
  AddressSpace& space = AddressSpace::instance();
  space::RankSlot& slot = space.slot(space.me());
  const int pauses = cores_are_shared ? 0 : 2000;
  for (int i = 0; i < pauses; ++i) {
    if (ready(condition)) return;
    pause();
  }
  // Only now is it worth telling others.
  Published published(slot.wait, wait);
  long nap_ns = 50'000;
  for (std::uint32_t round = 0;; ++round) {
    if (ready(condition)) return;
    if (deliver != nullptr) {
      deliver();
      if (ready(condition)) return;
    }
    published.refresh(wait);
    if (space.header().deaths.load(std::memory_order_acquire) != 0) check_deaths(wait, ready, condition);
    if (round % 16 != 15 || base::now_ns() - published.since_ns() < yield_ns) {
      sched_yield();
    } else if (wait.rings && bells_work()) {
      sleep(slot, ready, condition, sleep_max_ns);
    } else {
      sleep(slot, ready, condition, nap_ns);
      nap_ns = std::min(nap_ns * 2, nap_max_ns);
    }
  }
}

}  // namespace detail
}  // namespace armature::progress

#include "engines/hook/card_thread.hpp"

#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/no_signals.hpp"
#include "base/start_thread.hpp"

namespace armature::transport {
namespace {

using Operation = CardThread::Operation;

std::uint64_t result_of(const WordAtomic& what, std::uint64_t found) {
  using Code = WordAtomic::Code;
  switch (what.code) {
    case Code::fetch_add:
      return found + what.operand;
    case Code::fetch_and:
      return found & what.operand;
    case Code::fetch_or:
      return found | what.operand;
    case Code::fetch_xor:
      return found ^ what.operand;
    case Code::swap:
      return what.operand;
    case Code::compare_swap:
      return found == what.expected ? what.operand : found;
  }
  return found;
}

void copy_word(std::byte* to, const std::byte* from) {
  const auto word = std::atomic_ref(*reinterpret_cast<std::uint64_t*>(const_cast<std::byte*>(from)))
                        .load(std::memory_order_acquire);
  std::atomic_ref(*reinterpret_cast<std::uint64_t*>(to)).store(word, std::memory_order_release);
}

/// A card takes no core from its process, which may be bound to one: its thread goes to the other
/// cores that the launcher may use. Where the process is not bound, it may be anywhere.
void leave_own_cores() {
  cpu_set_t own, others;
  if (sched_getaffinity(0, sizeof own, &own) != 0) return;
  if (sched_getaffinity(getppid(), sizeof others, &others) != 0) return;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &own)) CPU_CLR(core, &others);
  if (CPU_COUNT(&others) > 0) (void)sched_setaffinity(0, sizeof others, &others);
}

bool is_word(const std::byte* to, const std::byte* from, std::size_t bytes) {
  const auto places = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  return bytes == sizeof(std::uint64_t) && places % sizeof(std::uint64_t) == 0;
}

}  // namespace

CardThread::CardThread(std::uint64_t seed, bool is_rough, bool is_prompt)
    : random_(seed),
      is_rough_(is_rough),
      is_prompt_(is_prompt),
      event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_) base::fail(Errc::start, "ARMATURE_NET_HOOK: " + base::system_text(errno));
  const base::NoSignals none;
  thread_ = base::start_thread("play a network card", [this] { serve(); });
}

CardThread::~CardThread() { (void)end(); }

void CardThread::begin(const Operation& operation) {
  const std::lock_guard locked(mutex_);
  waiting_.push_back(operation);
  more_.notify_one();
}

std::vector<std::uint64_t> CardThread::take_done() {
  if (!has_done()) return {};
  const std::lock_guard locked(mutex_);
  std::uint64_t times = 0;
  (void)!read(event_.get(), &times, sizeof times);
  has_done_.store(false, std::memory_order_relaxed);
  return std::exchange(done_, {});
}

std::vector<std::uint64_t> CardThread::end() {
  {
    const std::lock_guard locked(mutex_);
    ends_ = true;
    more_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
  return take_done();
}

/// One of sixteen is told very late.
std::uint64_t CardThread::delay_ns() {
  if (is_prompt_) return 0;
  constexpr std::uint64_t late_ns = 30'000, very_late_ns = 1'000'000;
  return random_.below(random_.below(16) == 0 ? very_late_ns : late_ns);
}

/// Under the mutex.
void CardThread::tell_due(std::uint64_t now_ns) {
  const auto end = ends_ ? late_.end() : late_.upper_bound(now_ns);
  if (late_.begin() == end) return;
  for (auto at = late_.begin(); at != end; ++at) done_.push_back(at->second);
  late_.erase(late_.begin(), end);
  has_done_.store(true, std::memory_order_release);
  const std::uint64_t one = 1;
  (void)!write(event_.get(), &one, sizeof one);
}

void CardThread::serve() {
  leave_own_cores();
  std::unique_lock locked(mutex_);
  for (;;) {
    tell_due(base::now_ns());
    if (!waiting_.empty()) {
      const auto any =
          waiting_.begin() +
          static_cast<std::ptrdiff_t>(random_.below(std::min<std::size_t>(waiting_.size(), 8)));
      const Operation operation = *any;
      waiting_.erase(any);
      locked.unlock();
      carry_out(operation);
      const std::uint64_t due_ns = base::now_ns() + delay_ns();
      locked.lock();
      late_.emplace(due_ns, operation.token);
    } else if (!late_.empty()) {
      const std::uint64_t now_ns = base::now_ns(), due_ns = late_.begin()->first;
      if (due_ns > now_ns && !ends_)
        more_.wait_for(locked, std::chrono::nanoseconds(due_ns - now_ns));
    } else if (ends_) {
      return;
    } else {
      more_.wait(locked);
    }
  }
}

void CardThread::carry_out(const Operation& operation) {
  if (operation.what != Operation::What::atomic) return move(operation);
  std::atomic_ref word(
      *reinterpret_cast<std::uint64_t*>(operation.window->at(operation.there, operation.bytes)));
  std::uint64_t found = word.load(std::memory_order_acquire);
  if (is_rough_) {
    sched_yield();
    word.store(result_of(operation.atomic, found), std::memory_order_release);
  } else {
    while (!word.compare_exchange_weak(found, result_of(operation.atomic, found),
                                       std::memory_order_acq_rel, std::memory_order_acquire)) {
    }
  }
  std::memcpy(operation.here, &found, sizeof found);
}

void CardThread::move(const Operation& operation) {
  std::byte* const there = operation.window->at(operation.there, operation.bytes);
  std::byte* to = operation.here;
  const std::byte* from = there;
  if (operation.what == Operation::What::put) {
    to = there;
    from = operation.here;
  }
  if (is_word(to, from, operation.bytes)) return copy_word(to, from);
  for (std::size_t left = operation.bytes; left > 0;) {
    constexpr std::size_t piece_max = std::size_t{64} << 10;
    const std::size_t piece = std::min(left, 1 + random_.below(piece_max));
    left -= piece;
    std::memcpy(to + left, from + left, piece);
    if (random_.below(8) == 0) sched_yield();
  }
}

}  // namespace armature::transport

#include "net/thread_suppression.hpp"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace armature::net {

namespace {

/// So long after a rank has stopped to poll somebody does what it has left.
constexpr long later_ns = 500'000;

}  // namespace

ThreadSuppression::~ThreadSuppression() {
  for (const int descriptor : {epoll_, later_})
    if (descriptor >= 0) close(descriptor);
}

void ThreadSuppression::open() {
  if (make_descriptors() || epoll_ < 0) return;
  close(std::exchange(epoll_, -1));
}

bool ThreadSuppression::make_descriptors() {
  const int engine = links_.engine().descriptor();
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  later_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  epoll_event readable{.events = EPOLLIN, .data = {}};
  return epoll_ >= 0 && later_ >= 0 && engine >= 0 &&
         epoll_ctl(epoll_, EPOLL_CTL_ADD, engine, &readable) == 0;
}

bool ThreadSuppression::suppress() {
  if (is_on_.load(std::memory_order_relaxed)) return true;
  if (is_flag_alone_) {
    is_on_.store(true, std::memory_order_relaxed);
    return true;
  }
  if (epoll_ < 0) return false;
  const std::lock_guard locked(lock_);
  epoll_event nothing{};
  if (epoll_ctl(epoll_, EPOLL_CTL_MOD, links_.engine().descriptor(), &nothing) != 0) return false;
  is_on_.store(true, std::memory_order_relaxed);
  return true;
}

/// The thread wakes up if there is something already.
void ThreadSuppression::end() {
  if (is_flag_alone_) return is_on_.store(false, std::memory_order_relaxed);
  const std::lock_guard locked(lock_);
  epoll_event readable{.events = EPOLLIN, .data = {}};
  epoll_ctl(epoll_, EPOLL_CTL_MOD, links_.engine().descriptor(), &readable);
  is_on_.store(false, std::memory_order_relaxed);
}

bool ThreadSuppression::leaves_something() const {
  return links_.owes() || links_.streams().any() || more_.load(std::memory_order_relaxed);
}

void ThreadSuppression::do_rest_later() {
  if (later_ < 0) return;
  // The thread takes the mark back before it looks: whoever finds it is right to go.
  if (is_set_.exchange(true, std::memory_order_acq_rel)) return;
  const itimerspec later{{}, {0, later_ns}};
  timerfd_settime(later_, 0, &later, nullptr);
}

void ThreadSuppression::take_timer() {
  if (std::uint64_t times = 0; read(later_, &times, sizeof times) > 0)
    (void)is_set_.exchange(false, std::memory_order_acq_rel);
}

}  // namespace armature::net

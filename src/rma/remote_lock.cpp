#include "rma/remote_lock.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "rma/pending_requests.hpp"
#include "rma/remote.hpp"
#include "rma/remote_records.hpp"
#include "wait/wait.hpp"

namespace armature::rma {

using base::fail;
using net::network;
using transport::Arrived;
using transport::Link;
using wait::LockWord;
using Lock = transport::Links::Lock;

namespace {

// -- who asks -------------------------------------------------------------------------------------

/// A place in a queue: the answers say who holds the mutex, once the asker is the first who waits;
/// the last one that it is the asker.
class PendingLock final : public PendingRequest {
 public:
  PendingLock(Rank owner, std::uint64_t mine) : PendingRequest(owner), mine_(mine) {}
  ~PendingLock() override { retire(); }
  /// As last heard of; 0: unknown.
  [[nodiscard]] std::uint64_t holder() const { return holder_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool was_held_already() const { return holder() == mine_; }

 private:
  bool take(const Arrived& answer) override {
    const std::uint64_t holder = answer.head<ValueRecord>().value;
    if (holder != 0) holder_.store(holder, std::memory_order_relaxed);
    return holder == 0 || holder == mine_;
  }
  std::uint64_t mine_;
  std::atomic<std::uint64_t> holder_ = 0;
};

class PendingUnlock final : public PendingRequest {
 public:
  using PendingRequest::PendingRequest;
  ~PendingUnlock() override { retire(); }
  bool was_held = false;

 private:
  bool take(const Arrived& answer) override {
    was_held = answer.head<ValueRecord>().value != 0;
    return true;
  }
};

void send(Network& net, const RemoteMutex& mutex, Kind kind, const PendingRequest& request,
          std::uint64_t token) {
  const LockRecord record{request.number(), reinterpret_cast<std::uint64_t>(mutex.word), token};
  ask(net, mutex.owner, kind, std::as_bytes(std::span(&record, 1)));
}

// -- who owns it ----------------------------------------------------------------------------------

struct LockWaiter {
  int process, rank, owner;
  LockRecord asked;
  std::uint64_t told = 0;  // who holds the mutex; 0: nothing yet
};

/// By the mutex's address. Under the links' lock.
struct Queues {
  std::map<std::uint64_t, std::deque<LockWaiter>> all;
};
std::map<std::uint64_t, std::deque<LockWaiter>>& queues() { return base::state<Queues>().all; }

LockWord& word_of(const Arrived& arrived, const LockRecord& record) {
  if (network()->space_of(arrived.record.to) == nullptr || record.address % sizeof(LockWord) != 0 ||
      wait::lock_holder(record.token) != arrived.record.from || arrived.record.from < 0 ||
      arrived.record.from >= network()->mapping().ranks() ||
      !network()->mapping().holds(arrived.record.to, record.address, sizeof(LockWord)))
    fail(Errc::corrupt, fmt::format("process {} wants a mutex at {:#x}, where none is",
                                    arrived.process, record.address));
  return *reinterpret_cast<LockWord*>(record.address);
}

void answer(const LockWaiter& to, Kind kind, std::uint64_t value) {
  const ValueRecord record{to.asked.request, value};
  Link& link = network()->links().to(to.process);
  link.post(kind, to.owner, to.rank, record, Link::Ack::none);
  link.flush();
}

bool is_gone(const LockWaiter& waiter) {
  return network()->links().to(waiter.process).is_lost() ||
         network()->mapping().slot(waiter.rank).life.load(std::memory_order_acquire) ==
             space::Life::dead;
}

/// Gives it to the first of the queue, if it is free; else tells the first who holds it by now, who
/// may be dead, or wait for the first. The others wait for the first as well: so a mutex that goes
/// from hand to hand costs a message each time, however many wait, and nobody believes in a holder
/// of long ago.
void give(std::uint64_t address, std::deque<LockWaiter>& queue) {
  auto& word = *reinterpret_cast<LockWord*>(address);
  while (!queue.empty() && is_gone(queue.front())) queue.pop_front();
  if (queue.empty()) return;
  std::uint64_t holder = word.load(std::memory_order_relaxed);
  if (holder == 0 && wait::try_lock_by(word, queue.front().asked.token)) {
    answer(queue.front(), Kind::lock_holder, 0);
    queue.pop_front();
    if (queue.empty()) return;
    holder = word.load(std::memory_order_relaxed);
  }
  LockWaiter& first = queue.front();
  // One that holds it itself, by another request, waits as well.
  if (holder == 0 || holder == first.told || holder == first.asked.token) return;
  first.told = holder;
  answer(first, Kind::lock_holder, holder);
}

void give(std::uint64_t address) {
  const auto queue = queues().find(address);
  if (queue == queues().end()) return;
  give(address, queue->second);
  if (queue->second.empty()) queues().erase(queue);
}

void on_lock(const Arrived& arrived) {
  const auto record = arrived.head<LockRecord>();
  LockWord& word = word_of(arrived, record);
  const LockWaiter asker{arrived.process, arrived.record.from, arrived.record.to, record};
  const std::uint64_t holder = word.load(std::memory_order_relaxed);
  if (holder == record.token) return answer(asker, Kind::lock_holder, holder);
  std::deque<LockWaiter>& queue = queues()[record.address];
  queue.push_back(asker);
  give(record.address, queue);
  if (queue.empty()) queues().erase(record.address);
}

/// False when it is not held by that token.
bool release(LockWord& word, std::uint64_t token) {
  return word.compare_exchange_strong(token, 0, std::memory_order_acq_rel);
}

/// Another thread of the rank than the one that has taken it may give it back.
void on_unlock(const Arrived& arrived) {
  const auto record = arrived.head<LockRecord>();
  LockWord& word = word_of(arrived, record);
  const std::uint64_t holder = word.load(std::memory_order_relaxed);
  const bool was_held = wait::lock_holder(holder) == arrived.record.from && release(word, holder);
  answer({arrived.process, arrived.record.from, arrived.record.to, record}, Kind::value,
         was_held ? 1 : 0);
  give(record.address);
}

void on_leave(const Arrived& arrived) {
  const auto record = arrived.head<LockRecord>();
  LockWord& word = word_of(arrived, record);
  const auto queue = queues().find(record.address);
  const bool was_in_queue =
      queue != queues().end() && std::erase_if(queue->second, [&](const LockWaiter& waiter) {
                                   return waiter.rank == arrived.record.from &&
                                          waiter.asked.request == record.request;
                                 }) > 0;
  if (!was_in_queue) (void)release(word, record.token);  // it was its turn meanwhile
  give(record.address);
}

}  // namespace

void lock_remote(Network& net, const RemoteMutex& mutex, std::uint64_t token, const char* call) {
  auto owned = std::make_unique<PendingLock>(mutex.owner, token);
  PendingLock& pending = *owned;
  send(net, mutex, Kind::lock, pending, token);
  wait::WaitFor wait{.what = space::Awaiting::mutex,
                     .peer = mutex.owner,
                     .object = mutex.word,
                     .detail = static_cast<std::uint64_t>(mutex.index),
                     .call = call};
  try {
    wait::wait_until(wait, [&] {
      if (pending.is_answered()) return true;
      net.try_poll();
      const int holder = wait::lock_holder(pending.holder());
      // Another thread of this rank may hold it: that is no cycle of ranks that wait.
      wait.peer = holder < 0 || holder == wait::lock_holder(token) ? int{mutex.owner} : holder;
      return pending.is_answered();
    });
  } catch (...) {
    send(net, mutex, Kind::leave_lock, pending, token);
    // A method has moved the rank meanwhile: the answer may still come where it was asked.
    if (!pending.is_of_process()) (void)owned.release();
    throw;
  }
  pending.check(call);
  if (pending.was_held_already())
    fail(Errc::misuse, fmt::format("{}: this rank holds mutex {} of member {} already", call,
                                   mutex.index, static_cast<int>(mutex.owner)));
}

bool unlock_remote(Network& net, const RemoteMutex& mutex, std::uint64_t token, const char* call) {
  PendingUnlock released(mutex.owner);
  send(net, mutex, Kind::unlock, released, token);
  released.wait(call);
  return released.was_held;
}

bool look_at_locks() {
  for (auto at = queues().begin(); at != queues().end();) {
    give(at->first, at->second);
    at = at->second.empty() ? queues().erase(at) : std::next(at);
  }
  return !queues().empty();
}

void forget_locks() { queues().clear(); }

const std::array<transport::Handling, 3> lock_handlers{{
    {.kind = transport::number_of(Kind::lock), .handler = on_lock, .is_of_rank = true},
    {.kind = transport::number_of(Kind::unlock), .handler = on_unlock, .is_of_rank = true},
    {.kind = transport::number_of(Kind::leave_lock), .handler = on_leave, .is_of_rank = true},
}};

}  // namespace armature::rma

#include "message/messages.hpp"

#include <sched.h>

#include <exception>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "wait/notifier.hpp"
#include "wait/oversubscription.hpp"
#include "wait/rank_context.hpp"
#include "wait/recorded_links.hpp"
#include "wait/wait.hpp"

namespace armature::message {

using space::Awaiting;
using wait::WaitFor;

Messages::Messages(wait::RankContext& rank)
    : rank_(rank),
      space_(rank.space),
      new_connections_(space_.slot(space_.me()).mailboxes),
      sending_(space_),
      receiving_(space_, sending_) {
  messages_slot.put(rank_.slots, this);
  rank_.add(*this);
}

Messages::~Messages() {
  rank_.remove(*this);
  const Locked locked(*this);
  for (OpenOperation* const one : open_) {
    one->end(*one, sending_, receiving_);
    one->messages.store(nullptr, std::memory_order_release);
  }
  messages_slot.put(rank_.slots, nullptr);
}

void Messages::tell_those_without_the_lock() {
  is_pushing_.store(sending_.is_pushing(), std::memory_order_relaxed);
  looks_again_.store(receiving_.has_something_to_fetch(), std::memory_order_relaxed);
}

// Copies that are not made as an exception is under way are made by who has the lock next.
Messages::Locked::~Locked() noexcept(false) {
  messages_.tell_those_without_the_lock();
  const bool has_copies = messages_.receiving_.fetching().has_copies();
  lock_.reset();
  if (has_copies && std::uncaught_exceptions() == 0) make_copies();
}

// Others take in and send meanwhile. Another thread of the rank may sleep and wait for one of them.
void Messages::Locked::make_copies() {
  Messages& all = messages_;
  while (true) {
    Copying* copying = nullptr;
    {
      const wait::BiasedMutex::Lock lock(all.mutex_, all.is_owner());
      copying = all.receiving_.fetching().next_copy();
    }
    if (copying == nullptr) return;
    const bool is_made = copying->make(all.space_, all.receiving_.counts());
    {
      const wait::BiasedMutex::Lock lock(all.mutex_, all.is_owner());
      all.receiving_.fetching().end(*copying, is_made);
      all.tell_those_without_the_lock();
    }
    wait::notify(all.space_.slot(all.space_.me()));
  }
}

bool Messages::Locked::take_in_all(bool fetches_all) {
  Messages& all = messages_;
  bool any = all.receiving_.take_in_all(all.new_connections_);
  any = all.receiving_.fetch(fetches_all) || any;
  if (all.sending_.is_pushing()) any = all.sending_.push() || any;
  return any;
}

bool Messages::take_in_all() {
  Locked locked(*this);
  return locked.take_in_all(false);
}

void Messages::open(int to, const char* call) {
  if (to == space_.me()) return;
  const Locked locked(*this);
  sending_.open(to, call);
}

void Messages::start(SendRequest& request, const char* call) {
  const Locked locked(*this);
  if (request.to != space_.me()) {
    wait::record_link(request.to, request.data.left());
    return sending_.start(request, call);
  }
  receiving_.take_own({request.envelope.context, request.to, request.envelope.tag}, request.data);
  request.is_over.store(true, std::memory_order_release);
}

void Messages::start(ReceiveRequest& request) {
  const Locked locked(*this);
  (void)receiving_.take_in_all(new_connections_);
  receiving_.start(request);
}

void Messages::start(ReceiveRequest& request, std::unique_ptr<Arrival> arrival) {
  const Locked locked(*this);
  receiving_.start(request, std::move(arrival));
}

bool Messages::advance(SendRequest& request) {
  if (request.is_over.load(std::memory_order_acquire)) return true;
  {
    Locked locked(*this);
    (void)locked.take_in_all(false);
    if (sending_.look(request)) return true;
  }
  return is_dead(request.to) && give_up(request);
}

bool Messages::advance(ReceiveRequest& request) {
  if (request.is_over.load(std::memory_order_acquire)) return true;
  (void)take_in();
  if (request.is_over.load(std::memory_order_acquire)) return true;
  return is_dead(request.bound_to.load(std::memory_order_relaxed)) && give_up(request);
}

bool Messages::is_dead(int rank) const {
  return rank >= 0 && space_.header().settings.on_death == space::OnDeath::go_on &&
         space_.slot(rank).life.load(std::memory_order_acquire) == space::Life::dead;
}

// The other rank may have done its part before it died, so that is looked for once more.
bool Messages::give_up(SendRequest& request) {
  const Locked locked(*this);
  if (sending_.look(request)) return true;
  // The engine reads its bytes until it has found out, too.
  if (request.stream != nullptr) return false;
  sending_.abandon(request, true);
  request.is_lost = true;
  request.is_over.store(true, std::memory_order_release);
  return true;
}

bool Messages::give_up(ReceiveRequest& request) {
  (void)take_in_all();
  if (!let_go(request)) return true;
  request.outcome.is_lost = true;
  request.is_over.store(true, std::memory_order_release);
  return true;
}

// False where it is over. A copy takes its time, and no longer.
bool Messages::let_go(ReceiveRequest& request) {
  for (;; sched_yield()) {
    if (request.is_over.load(std::memory_order_acquire)) return false;
    const Locked locked(*this);
    if (request.is_over.load(std::memory_order_acquire)) return false;
    if (receiving_.fetching().is_copying_for(request)) continue;
    receiving_.abandon(request);
    return true;
  }
}

void require_not_lost(bool is_lost, int rank, const char* call) {
  if (is_lost) base::fail(Errc::rank_lost, fmt::format("{}: rank {} has died", call, rank));
}

void Messages::wait(SendRequest& request, const char* call) {
  WaitFor room{.what = Awaiting::room, .peer = request.to, .call = call};
  try {
    wait::wait_until(room, [&] { return advance(request); });
    require_not_lost(request.is_lost, request.to, call);
  } catch (...) {
    abandon(request);
    throw;
  }
}

void Messages::abandon(SendRequest& request) {
  const Locked locked(*this);
  if (!sending_.look(request)) sending_.abandon(request, is_dead(request.to));
}

bool Messages::cancel(SendRequest& request) {
  const Locked locked(*this);
  if (sending_.look(request)) return true;
  if (request.offer == 0 || request.announcement != nullptr || request.stream != nullptr)
    return false;
  sending_.abandon(request, false);
  request.is_over.store(true, std::memory_order_release);
  return true;
}

void Messages::open(OpenOperation& operation) {
  const Locked locked(*this);
  operation.place = open_.insert(open_.end(), &operation);
}

void Messages::close(OpenOperation& operation) {
  const Locked locked(*this);
  open_.erase(operation.place);
}

void Messages::wait(ReceiveRequest& request, const char* call, Awaiting what) {
  WaitFor wait = wait_for(request.pattern(), call, what);
  try {
    wait::wait_until(wait, [&] {
      wait.peer = request.bound_to.load(std::memory_order_relaxed);
      return advance(request);
    });
    require_not_lost(request.outcome.is_lost, request.bound_to, call);
  } catch (...) {
    abandon(request);
    throw;
  }
}

void Messages::abandon(ReceiveRequest& request) { (void)let_go(request); }

bool Messages::cancel(ReceiveRequest& request) {
  const Locked locked(*this);
  return receiving_.cancel(request);
}

bool Messages::send_at_once(const Address& address, std::span<const std::byte> data,
                            const char* call) {
  if (address.to == space_.me()) return false;
  const wait::BiasedMutex::Lock lock(mutex_, is_owner());
  if (!sending_.send_at_once(address, data, call)) return false;
  wait::record_link(address.to, data.size());
  return true;
}

void Messages::send(const Address& address, std::span<const std::byte> data, const char* call) {
  if (send_at_once(address, data, call)) return;
  const iovec piece{const_cast<std::byte*>(data.data()), data.size()};
  SendRequest request(address, std::span(&piece, 1));
  start(request, call);
  wait(request, call);
}

// A short message of the one that is waited for often comes within the time that a wait looks
// anyway. Then it is copied from the ring to its place, and was never posted. No other thread of
// the rank is kept from its messages by that, as there is none, and nothing is taken in before it.
// Now and then it is not done: others' rings, whose senders may wait for room, have their turn.
std::optional<Came> Messages::receive_at_once(const Label& pattern, std::span<std::byte> into) {
  const wait::BiasedMutex::Lock lock(mutex_, is_owner());
  if (!lock.is_the_owners() || sending_.is_pushing() || ++at_once_ % at_once_in_a_row == 0)
    return std::nullopt;
  return receiving_.receive_at_once(pattern, into, wait::spins());
}

ReceiveRequest::Outcome Messages::receive(const Label& pattern, std::span<std::byte> into,
                                          const char* call, Awaiting what) {
  if (const auto came = receive_at_once(pattern, into)) [[likely]]
    return {*came};
  const iovec piece{into.data(), into.size()};
  ReceiveRequest request(pattern, std::span(&piece, 1), TooLong::is_kept);
  start(request);
  wait(request, call, what);
  return request.outcome;
}

std::optional<Came> Messages::probe(const Label& pattern) {
  Locked locked(*this);
  (void)locked.take_in_all(false);
  return receiving_.probe(pattern);
}

std::unique_ptr<Arrival> Messages::take(const Label& pattern) {
  Locked locked(*this);
  (void)locked.take_in_all(false);
  return receiving_.take(pattern);
}

void Messages::put_back(std::unique_ptr<Arrival> arrival) {
  const Locked locked(*this);
  receiving_.put_back(std::move(arrival));
}

// Takes all that others have offered: it is complete once all of them have come here.
void Messages::Renewal::settle(const char* call) {
  WaitFor wait{.what = Awaiting::completion, .is_notified = false, .call = call};
  wait::wait_until(wait, [&] {
    Locked locked(messages_);
    (void)locked.take_in_all(true);
    return messages_.sending_.is_idle();
  });
}

void Messages::Renewal::forget_rings() {
  const Locked locked(messages_);
  messages_.receiving_.forget_rings();
}

void Messages::Renewal::close_rings() {
  const Locked locked(messages_);
  messages_.sending_.close();
}

}  // namespace armature::message

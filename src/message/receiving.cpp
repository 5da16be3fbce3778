#include "message/receiving.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "armature/error.hpp"
#include "base/clock.hpp"
#include "base/fail.hpp"
#include "space/layout.hpp"
#include "wait/bell.hpp"

namespace armature::message {

Receiving::~Receiving() {
  for (Incoming& in : incoming_) in.target.drop();
  for (auto& [number, target] : asked_) target.drop();
  for (Landed& one : landing_) {
    landings_.give_back(*one.landing);
    one.target.drop();
  }
  for (WaitingMessage* const one : waiting_.in_order()) delete static_cast<Arrival*>(one);
}

void Receiving::add(std::unique_ptr<Arrival> arrival) {
  const bool is_here = arrival->is_here();
  if (!is_here) {
    arrival->since_ns = base::now_ns();
    arrival->since_look = looks_;
    arrival->place = elsewhere_.insert(elsewhere_.end(), arrival.get());
  }
  try {
    waiting_.add(*arrival);
  } catch (...) {
    if (!is_here) elsewhere_.erase(arrival->place);
    throw;
  }
  (void)arrival.release();
}

/// It is fetched no more.
void Receiving::leave(const Arrival& arrival) {
  if (!arrival.is_here() && !arrival.is_coming) elsewhere_.erase(arrival.place);
}

std::unique_ptr<Arrival> Receiving::remove(Arrival& arrival) {
  leave(arrival);
  waiting_.remove(arrival);
  return std::unique_ptr<Arrival>(&arrival);
}

void Receiving::put_back(std::unique_ptr<Arrival> arrival) {
  // A receive may have been posted meanwhile.
  if (ReceiveRequest* const receive = match(arrival->label(), arrival->bytes)) {
    leave(*arrival);
    return give(*receive, std::move(arrival));
  }
  waiting_.put_back(*arrival.release());
}

void Receiving::start(ReceiveRequest& request) {
  auto* const found = static_cast<Arrival*>(waiting_.find(request.pattern()));
  if (found == nullptr) return posted_.post(request);
  if (request.takes(found->bytes)) return give(request, remove(*found));
  request.end(found->came(), true);
}

void Receiving::start(ReceiveRequest& request, std::unique_ptr<Arrival> arrival) {
  if (request.takes(arrival->bytes)) {
    leave(*arrival);
    return give(request, std::move(arrival));
  }
  const Came came = arrival->came();
  put_back(std::move(arrival));
  request.end(came, true);
}

void Receiving::abandon(ReceiveRequest& request) {
  (void)posted_.withdraw(request);
  for (Incoming& in : incoming_)
    if (in.target.is_of(request)) in.target.drop();
  for (auto& [number, target] : asked_)
    if (target.is_of(request)) target.drop();
  std::erase_if(landing_, [&](Landed& one) {
    if (!one.target.is_of(request)) return false;
    landings_.give_back(*one.landing);
    one.target.drop();
    return true;
  });
}

bool Receiving::is_copying_for(const ReceiveRequest& request) const {
  return std::ranges::any_of(copies_,
                             [&](const Copying& one) { return one.target.is_of(request); });
}

std::optional<Came> Receiving::probe(const Label& pattern) {
  const auto* const found = static_cast<Arrival*>(waiting_.find(pattern));
  if (found == nullptr) return std::nullopt;
  return found->came();
}

// One that has been asked for is given once it is here. One whose bytes are at its sender may still
// be fetched, so that the sender need not wait for whoever has taken it.
std::unique_ptr<Arrival> Receiving::take(const Label& pattern) {
  auto* const found = static_cast<Arrival*>(waiting_.find(pattern));
  if (found == nullptr || found->is_coming) return nullptr;
  waiting_.remove(*found);
  return std::unique_ptr<Arrival>(found);
}

/// The receive that gets such a message. Those that it does not fit are over, and it is kept.
ReceiveRequest* Receiving::match(const Label& label, std::size_t bytes) {
  while (auto* const found = static_cast<ReceiveRequest*>(posted_.match(label))) {
    if (found->takes(bytes)) return found;
    found->end({label.source, label.tag, bytes}, true);
  }
  return nullptr;
}

void Receiving::give(ReceiveRequest& request, std::unique_ptr<Arrival> arrival) {
  constexpr std::size_t copied_at_once = 8192;
  const Came came = arrival->came();
  if (arrival->is_here() && came.bytes <= copied_at_once) {
    copy(request.into, arrival->data);
    return request.end(came);
  }
  request.bound_to.store(came.source, std::memory_order_relaxed);
  if (arrival->is_coming) {
    arrival.release()->receiver = &request;  // it is its target's from now on
    return;
  }
  const Target target{request.into, &request, nullptr, came};
  switch (arrival->kind) {
    case EnvelopeKind::announcement:
    case EnvelopeKind::for_kernel:
      return copy_announced(arrival->kind, came.source, arrival->number, target);
    case EnvelopeKind::offer:
      return ask(came.source, arrival->number, target);
    default:
      break;
  }
  copies_.push_back({.target = target,
                     .from = Copying::From::arrival,
                     .source = came.source,
                     .arrival = std::move(arrival)});
  ++copies_to_begin_;
}

void Receiving::copy_announced(EnvelopeKind kind, int from, std::uint64_t number,
                               const Target& target) {
  auto& announcement = *reinterpret_cast<Announcement*>(number);
  const bool by_kernel = kind == EnvelopeKind::for_kernel;
  const auto source = static_cast<std::size_t>(from);
  const bool is_refused = by_kernel && source < refused_.size() && refused_[source];
  if (is_refused || (by_kernel && faster_.choose(target.came.bytes) == FasterWay::ring)) {
    Target asked = target;
    asked.asked_ns = is_refused ? 0 : base::now_ns();
    return ask(from, announcement.offer, asked);
  }
  copies_.push_back({.target = target,
                     .from = by_kernel ? Copying::From::kernel : Copying::From::announcement,
                     .source = from,
                     .announcement = &announcement});
  ++copies_to_begin_;
}

Copying* Receiving::next_copy() {
  if (copies_to_begin_ == 0) return nullptr;
  const auto next = std::ranges::find(copies_, false, &Copying::has_begun);
  next->has_begun = true;
  --copies_to_begin_;
  return &*next;
}

void Receiving::end(Copying& copying, bool is_made) {
  const Target target = copying.target;
  const int from = copying.source;
  const std::uint64_t took_ns = copying.took_ns;
  Announcement* const announcement = copying.announcement;
  std::erase_if(copies_, [&](const Copying& one) { return &one == &copying; });
  if (!is_made) {
    // The kernel refuses one of a process's ranks as it refuses the other: it is asked once.
    refused_.resize(static_cast<std::size_t>(space_.ranks()));
    refused_[static_cast<std::size_t>(from)] = true;
    return ask(from, announcement->offer, target);
  }
  if (took_ns != 0) faster_.note(FasterWay::kernel, target.came.bytes, took_ns);
  if (announcement != nullptr) {
    // Release: the sender may write over what has been copied.
    announcement->is_taken.store(1, std::memory_order_release);
    wait::ring(space_.slot(from));
  }
  end(target);
}

void Receiving::ask(int from, std::uint64_t offer, const Target& target) {
  Envelope envelope;
  envelope.kind = EnvelopeKind::go;
  envelope.number = offer;
  const std::size_t bytes = target.arrival != nullptr ? target.arrival->bytes : target.came.bytes;
  if (Landing* const landing = landings_.make(from, bytes, target.into)) {
    envelope.bytes = reinterpret_cast<std::uint64_t>(landing);
    envelope.landing = landing->number.load(std::memory_order_relaxed);
    landing_.push_back({landing, target});
  } else {
    envelope.bytes = ++questions_;
    asked_.emplace(questions_, target);
  }
  unasked_.push_back({from, envelope});
  ask_all();
}

/// Where there is no memory for a ring to the sender, it is asked later.
void Receiving::ask_all() {
  while (!unasked_.empty()) {
    try {
      sending_.post(unasked_.front().to, unasked_.front().envelope);
    } catch (const Error& error) {
      if (error.code() != Errc::out_of_memory) throw;
      return;
    }
    unasked_.pop_front();
  }
}

void Receiving::take_own(const Label& label, Cursor from) {
  Envelope envelope;
  envelope.bytes = from.left();
  if (ReceiveRequest* const receive = match(label, envelope.bytes)) {
    (void)copy(receive->into, from);
    return receive->end({label.source, label.tag, envelope.bytes});
  }
  auto arrival = std::make_unique<Arrival>(label, envelope);
  arrival->make_room();
  (void)copy(arrival->data, from);
  add(std::move(arrival));
}

/// Whether a receive for it is not to be expected any more. In a simulation time may stand still.
bool Receiving::has_waited(const Arrival& arrival) const {
  constexpr std::uint64_t least_looks = 64, most_looks = 4096, patience_ns = 100'000;
  const std::uint64_t looks = looks_ - arrival.since_look;
  return looks >= most_looks ||
         (looks >= least_looks && base::now_ns() - arrival.since_ns >= patience_ns);
}

bool Receiving::fetch(bool all) {
  if (!has_something_to_fetch()) return false;
  ++looks_;
  ask_all();
  while (!elsewhere_.empty() && (all || has_waited(*elsewhere_.front()))) {
    Arrival& arrival = *elsewhere_.front();
    try {
      arrival.make_room();
    } catch (const std::bad_alloc&) {
      return false;  // it waits where it is
    }
    elsewhere_.pop_front();
    arrival.is_coming = true;
    const Target target{arrival.into(), nullptr, &arrival, arrival.came()};
    if (arrival.kind == EnvelopeKind::offer)
      ask(arrival.label().source, arrival.number, target);
    else
      copy_announced(arrival.kind, arrival.label().source, arrival.number, target);
  }
  return true;
}

bool Receiving::is_idle() const {
  return asked_.empty() && landing_.empty() && copies_.empty() && !has_something_to_fetch() &&
         std::ranges::all_of(incoming_, [](const Incoming& in) {
           return in.ring->is_empty() && in.envelope_bytes == 0;
         });
}

}  // namespace armature::message

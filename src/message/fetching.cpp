#include "message/fetching.hpp"

#include <algorithm>
#include <utility>

#include "armature/error.hpp"
#include "base/clock.hpp"
#include "wait/notifier.hpp"

namespace armature::message {

Fetching::~Fetching() {
  for (auto& [number, target] : asked_) target.drop();
  for (Landed& one : landing_) {
    landings_.give_back(*one.landing);
    one.target.drop();
  }
}

void Fetching::begin(const Arrival& arrival, const Target& target) {
  const int from = arrival.label().source;
  if (arrival.kind == EnvelopeKind::offer) return ask(from, arrival.number, target);
  auto& announcement = *reinterpret_cast<Announcement*>(arrival.number);
  const bool by_kernel = arrival.kind == EnvelopeKind::for_kernel;
  const auto source = static_cast<std::size_t>(from);
  const bool is_refused = by_kernel && source < refused_.size() && refused_[source];
  if (is_refused || (by_kernel && faster_.choose(target.came.bytes) == FasterWay::memory)) {
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

void Fetching::copy_later(std::unique_ptr<Arrival> arrival, const Target& target) {
  copies_.push_back({.target = target,
                     .from = Copying::From::arrival,
                     .source = target.came.source,
                     .arrival = std::move(arrival)});
  ++copies_to_begin_;
}

Copying* Fetching::next_copy() {
  if (copies_to_begin_ == 0) return nullptr;
  const auto next = std::ranges::find(copies_, false, &Copying::has_begun);
  next->has_begun = true;
  --copies_to_begin_;
  return &*next;
}

void Fetching::end(Copying& copying, bool is_made) {
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
    wait::notify(space_.slot(from));
  }
  receiver_.end(target);
}

void Fetching::ask(int from, std::uint64_t offer, const Target& target) {
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

void Fetching::ask_all() {
  while (!unasked_.empty()) {
    try {
      sending_.post(unasked_.front().to, unasked_.front().envelope);
    } catch (const Error& error) {
      if (error.code() != Errc::out_of_memory) throw;
      return;  // asked later
    }
    unasked_.pop_front();
  }
}

Target Fetching::answered(std::uint64_t number) {
  const auto found = asked_.extract(number);
  return found ? found.mapped() : Target{};
}

void Fetching::note_ring(const Target& target) {
  if (target.asked_ns != 0)
    faster_.note(FasterWay::memory, target.came.bytes, base::now_ns() - target.asked_ns);
}

bool Fetching::take_in_landed() {
  bool any = false;
  for (std::size_t i = 0; i < landing_.size();) {
    // Acquire: the bytes are there.
    if (landing_[i].landing->is_over.load(std::memory_order_acquire) == 0) {
      ++i;
      continue;
    }
    const Landed done = landing_[i];
    landing_[i] = landing_.back();
    landing_.pop_back();
    landings_.give_back(*done.landing);
    counts_.in_records.fetch_add(done.target.came.bytes, std::memory_order_relaxed);
    receiver_.end(done.target);
    any = true;
  }
  return any;
}

void Fetching::abandon(const ReceiveRequest& request) {
  for (auto& [number, target] : asked_)
    if (target.is_of(request)) target.drop();
  std::erase_if(landing_, [&](Landed& one) {
    if (!one.target.is_of(request)) return false;
    landings_.give_back(*one.landing);
    one.target.drop();
    return true;
  });
}

bool Fetching::is_copying_for(const ReceiveRequest& request) const {
  return std::ranges::any_of(copies_,
                             [&](const Copying& one) { return one.target.is_of(request); });
}

bool Fetching::is_idle() const {
  return asked_.empty() && landing_.empty() && copies_.empty() && unasked_.empty();
}

}  // namespace armature::message

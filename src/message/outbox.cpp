#include "message/outbox.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/fail.hpp"
#include "wait/notifier.hpp"

namespace armature::message {

using transport::Ring;

Outbox::Destination& Outbox::destination(int to, const char* call) {
  Destination& there = to_[static_cast<std::size_t>(to)];
  if (there.ring != nullptr) [[likely]]
    return there;
  space::AddressSpace::Failure failure;
  void* memory = space_.allocate_ring(sizeof(Ring), failure);
  if (memory == nullptr)
    base::fail(Errc::out_of_memory, fmt::format("{}: no memory for a mailbox of {}: {}", call,
                                                base::readable_bytes(sizeof(Ring)), failure.limit));
  there.ring = new (memory) Ring;
  space::PeerLine& mine = space_.head(to).peer(space_.me());
  // Release: whoever reads the address finds an empty ring there; that there is one comes last.
  mine.mailbox.store(reinterpret_cast<std::uint64_t>(there.ring), std::memory_order_release);
  space_.slot(to).mailboxes.add(space_.me(), mine.mailbox_before);
  return there;
}

/// Writes where write_at_once() cannot: there is no ring yet, or it has no room in one piece.
bool Outbox::write_behind_others(int to, const Envelope& envelope, std::span<const std::byte> data,
                                 const char* call) {
  Destination& there = destination(to, call);
  if (there.first != nullptr ||
      !there.ring->write_whole(std::as_bytes(std::span(&envelope, 1)), data))
    return false;
  wait::notify(space_.slot(to));
  return true;
}

void Outbox::add(Outgoing& outgoing, const char* call) {
  Destination& there = destination(outgoing.to, call);
  outgoing.next_ = nullptr;
  outgoing.envelope_written_ = 0;
  Outgoing* const before = std::exchange(there.last, &outgoing);
  if (before != nullptr) {
    before->next_ = &outgoing;
    return;
  }
  there.first = &outgoing;
  waiting_.push_back(outgoing.to);
  (void)push();
}

/// True when the ring has all of it.
bool Outbox::write_one(Ring& ring, Outgoing& outgoing) {
  while (outgoing.envelope_written_ < sizeof(Envelope)) {
    const std::size_t bytes = ring.write(
        std::as_bytes(std::span(&outgoing.envelope, 1)).subspan(outgoing.envelope_written_));
    if (bytes == 0) return false;
    outgoing.envelope_written_ += bytes;
  }
  while (!outgoing.data.here().empty()) {
    const std::size_t bytes = ring.write(outgoing.data.here());
    if (bytes == 0) return false;
    outgoing.data.advance(bytes);
  }
  return true;
}

bool Outbox::write(Destination& there) {
  const std::uint64_t before = there.ring->written().load(std::memory_order_relaxed);
  while (there.first != nullptr && write_one(*there.ring, *there.first)) {
    Outgoing& done = *std::exchange(there.first, there.first->next_);
    if (there.first == nullptr) there.last = nullptr;
    if (done.written != nullptr) done.written(done);
  }
  return there.ring->written().load(std::memory_order_relaxed) != before;
}

bool Outbox::push() {
  bool any = false;
  for (std::size_t i = 0; i < waiting_.size();) {
    const int to = waiting_[i];
    Destination& there = to_[static_cast<std::size_t>(to)];
    if (write(there)) {
      any = true;
      wait::notify(space_.slot(to));
    }
    if (there.first != nullptr) {
      ++i;
      continue;
    }
    waiting_[i] = waiting_.back();
    waiting_.pop_back();
  }
  return any;
}

/// nullptr: by nothing.
void Outbox::replace(Outgoing& outgoing, Outgoing* by) {
  Destination& there = to_[static_cast<std::size_t>(outgoing.to)];
  Outgoing* before = nullptr;
  for (Outgoing* one = there.first; one != nullptr; before = std::exchange(one, one->next_)) {
    if (one != &outgoing) continue;
    if (by != nullptr) by->next_ = one->next_;
    Outgoing* const next = by != nullptr ? by : one->next_;
    (before == nullptr ? there.first : before->next_) = next;
    if (there.last == one) there.last = by != nullptr ? by : before;
    break;
  }
  if (there.first == nullptr) std::erase(waiting_, outgoing.to);
}

namespace {

/// The rest of one that was given up.
struct Rest : Outgoing {
  explicit Rest(const Outgoing& begun) : Outgoing(begun), bytes(data.left()) {
    (void)copy(std::span(bytes), data);
    piece = {bytes.data(), bytes.size()};
    data = Cursor(std::span(&piece, 1));
    written = [](Outgoing& done) { delete static_cast<Rest*>(&done); };
  }

  std::vector<std::byte> bytes;
  iovec piece{};
};

}  // namespace

void Outbox::give_up(Outgoing& outgoing, bool is_read_no_more) {
  const bool is_first = to_[static_cast<std::size_t>(outgoing.to)].first == &outgoing;
  const bool has_begun = !is_read_no_more && is_first && outgoing.envelope_written_ > 0;
  replace(outgoing, has_begun ? new Rest(outgoing) : nullptr);
}

void Outbox::close() {
  for (const int to : to_.indices()) {
    Destination& there = to_[static_cast<std::size_t>(to)];
    if (there.ring == nullptr) continue;
    ARMATURE_ASSERT(there.first == nullptr);
    space_.head(to).peer(space_.me()).mailbox.store(0, std::memory_order_relaxed);
    ARMATURE_ASSERT(
        space_.free(std::exchange(there.ring, nullptr), space::Allocation::Kind::internal));
  }
}

}  // namespace armature::message

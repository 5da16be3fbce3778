#include "message/sending.hpp"

#include <memory>
#include <utility>

namespace armature::message {
namespace {

void end(Outgoing& outgoing) {
  // Release: the bytes have been copied.
  static_cast<SendRequest&>(outgoing).is_over.store(true, std::memory_order_release);
}

}  // namespace

bool Sending::send_at_once(const Address& address, std::span<const std::byte> data,
                           const char* call) {
  if (data.size() > short_max_readable) return false;
  Envelope envelope;
  envelope.context = address.context;
  envelope.tag = address.tag;
  envelope.bytes = data.size();
  return outbox_.write_at_once(address.to, envelope, data, call);
}

void Sending::start(SendRequest& request, const char* call) {
  outbox_.open(request.to, call);
  const std::size_t bytes = request.envelope.bytes;
  if (bytes > short_max_readable)
    request.announcement = announcements_.make(request.to, request.pieces);
  if (request.announcement != nullptr) {
    request.envelope.kind = EnvelopeKind::announcement;
    request.envelope.number = reinterpret_cast<std::uint64_t>(request.announcement);
    request.data = {};
    request.place = announced_.insert(announced_.end(), &request);
  } else if (bytes > short_max) {
    request.envelope.kind = EnvelopeKind::offer;
    request.envelope.number = request.offer = ++offers_;
    request.data = {};
    offered_.emplace(request.offer, &request);
  } else {
    request.written = end;
  }
  outbox_.add(request, call);
}

void Sending::go(int from, const Envelope& envelope) {
  const auto found = offered_.find(envelope.number);
  // Who has given it up sends nothing.
  if (found == offered_.end() || found->second->to != from) return;
  SendRequest& request = *found->second;
  offered_.erase(found);
  request.offer = 0;
  request.envelope.kind = EnvelopeKind::bytes;
  request.envelope.number = envelope.bytes;
  request.data = Cursor(request.pieces);
  request.written = end;
  outbox_.add(request, "send");
}

bool Sending::look(SendRequest& request) {
  // Acquire: the receiver has copied.
  if (request.announcement != nullptr &&
      request.announcement->is_taken.load(std::memory_order_acquire) != 0) {
    announcements_.give_back(*std::exchange(request.announcement, nullptr));
    announced_.erase(request.place);
    end(request);
    return true;  // and whoever waits for it may have let go of it
  }
  return request.is_over.load(std::memory_order_acquire);
}

// Its announcement is never used again: the receiver may look at it even now.
void Sending::abandon(SendRequest& request) {
  if (request.announcement != nullptr) announced_.erase(request.place);
  if (request.offer != 0) offered_.erase(request.offer);
  outbox_.remove(request);
}

void Sending::post(int to, const Envelope& envelope) {
  if (outbox_.write_at_once(to, envelope, {}, "receive")) return;
  auto letter = std::make_unique<Outgoing>();
  letter->envelope = envelope;
  letter->to = to;
  letter->written = [](Outgoing& done) { delete &done; };
  outbox_.add(*letter.release(), "receive");
}

bool Sending::is_idle() {
  for (auto one = announced_.begin(); one != announced_.end();) look(**one++);
  return announced_.empty() && offered_.empty() && outbox_.is_empty();
}

}  // namespace armature::message

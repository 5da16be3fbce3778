#include "message/sending.hpp"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "image/copies.hpp"

namespace armature::message {
namespace {

void end(Outgoing& outgoing) {
  // Release: the bytes have been copied.
  static_cast<SendRequest&>(outgoing).is_over.store(true, std::memory_order_release);
}

}  // namespace

/// Says where its bytes lie, or offers them.
void Sending::announce(SendRequest& request) {
  Envelope& envelope = request.envelope;
  request.announcement = announcements_.make(request.to, request.pieces);
  if (request.announcement == nullptr) {
    if (envelope.bytes <= short_max) return;
    // On this node the sender copies them into the ring in a turn of its own.
    const bool is_far = !space_.is_here(request.to);
    for (const iovec& piece : request.pieces)
      if (is_far && image::is_exchanged(piece.iov_base, piece.iov_len))
        base::fail(Errc::bad_argument,
                   fmt::format("send: {} bytes at {} are thread-local variables, which are those "
                               "of other ranks while this one waits (--private-globals)",
                               piece.iov_len, piece.iov_base));
    request.offer = ++offers_;
    offered_.emplace(request.offer, &request);
    request.announcement =
        announcements_.make_for_kernel(request.to, request.pieces, request.offer);
  }
  request.data = {};
  if (request.announcement == nullptr) {
    envelope.kind = EnvelopeKind::offer;
    envelope.number = request.offer;
    return;
  }
  envelope.kind = request.offer == 0 ? EnvelopeKind::announcement : EnvelopeKind::for_kernel;
  envelope.number = reinterpret_cast<std::uint64_t>(request.announcement);
  request.place = elsewhere_.insert(elsewhere_.end(), &request);
}

void Sending::start(SendRequest& request, const char* call) {
  outbox_.open(request.to, call);
  if (request.envelope.bytes > short_max_readable) announce(request);
  if (request.announcement == nullptr && request.offer == 0) request.written = end;
  outbox_.add(request, call);
}

void Sending::go(int from, const Envelope& envelope) {
  const auto found = offered_.find(envelope.number);
  // A sender that has given the message up sends nothing.
  if (found == offered_.end() || found->second->to != from) return;
  SendRequest& request = *found->second;
  withdraw(request);
  if (request.announcement != nullptr)  // the receiver does not look at it any more
    announcements_.give_back(*std::exchange(request.announcement, nullptr));
  if (envelope.landing != 0) {
    request.place = elsewhere_.insert(elsewhere_.end(), &request);
    request.stream = std::make_unique<SendStream>(
        space_.me(), request.to, SendStream::Place{envelope.bytes, envelope.landing},
        Cursor(request.pieces));
    return;
  }
  request.envelope.kind = EnvelopeKind::bytes;
  request.envelope.number = envelope.bytes;
  request.data = Cursor(request.pieces);
  request.written = end;
  outbox_.add(request, "send");
}

/// Takes it out of the lists of requests whose bytes somebody else gets.
void Sending::withdraw(SendRequest& request) {
  if (request.announcement != nullptr || request.stream != nullptr) elsewhere_.erase(request.place);
  if (request.offer != 0) offered_.erase(std::exchange(request.offer, 0));
}

bool Sending::look(SendRequest& request) {
  // Acquire: the receiver has copied.
  const bool is_taken = request.announcement != nullptr &&
                        request.announcement->is_taken.load(std::memory_order_acquire) != 0;
  const bool is_sent = request.stream != nullptr && request.stream->is_over();
  if (!is_taken && !is_sent) return request.is_over.load(std::memory_order_acquire);
  withdraw(request);
  if (is_taken) announcements_.give_back(*std::exchange(request.announcement, nullptr));
  if (is_sent) {
    request.is_lost = request.stream->is_lost();
    request.stream = nullptr;
  }
  end(request);
  return true;  // and whoever waits for it may have let go of it
}

// The announcement is never used again: the receiver may look at it even now.
void Sending::abandon(SendRequest& request, bool is_read_no_more) {
  withdraw(request);
  request.announcement = nullptr;
  request.stream = nullptr;
  outbox_.give_up(request, is_read_no_more);
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
  for (auto one = elsewhere_.begin(); one != elsewhere_.end();) look(**one++);
  return elsewhere_.empty() && offered_.empty() && outbox_.is_empty();
}

}  // namespace armature::message

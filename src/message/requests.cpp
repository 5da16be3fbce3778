#include "message/requests.hpp"

#include "wait/ordered.hpp"

namespace armature::message {

SendRequest::SendRequest(const Address& address, std::span<const iovec> the_pieces)
    : pieces(the_pieces) {
  to = address.to;
  data = Cursor(the_pieces);
  envelope.context = address.context;
  envelope.tag = address.tag;
  envelope.bytes = data.left();
}

ReceiveRequest::ReceiveRequest(const Label& pattern, std::span<const iovec> pieces, TooLong what)
    : PostedReceive(pattern),
      into(pieces),
      room(into.left()),
      too_long(what),
      bound_to(pattern.source) {}

void ReceiveRequest::end(const Came& came, bool does_not_fit) {
  outcome = {came, does_not_fit, false};
  wait::hear_from(came.source);
  // Release: who sees that it is over sees the rest.
  is_over.store(true, std::memory_order_release);
}

Arrival::Arrival(const Label& label, const Envelope& envelope)
    : WaitingMessage(label), kind(envelope.kind), number(envelope.number), bytes(envelope.bytes) {}

void Arrival::make_room() {
  data.resize(bytes);
  piece_ = {data.data(), data.size()};
}

}  // namespace armature::message

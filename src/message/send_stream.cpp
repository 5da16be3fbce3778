#include "message/send_stream.hpp"

#include <algorithm>
#include <span>

#include "message/records.hpp"
#include "net/network.hpp"
#include "transport/limits.hpp"
#include "transport/links.hpp"
#include "wait/notifier.hpp"

namespace armature::message {

using net::Network;
using transport::Limits;

SendStream::SendStream(int from, int to, const Place& place, const Cursor& data)
    : from_(from), to_(to), place_(place), data_(data), left_(data.left()) {
  Network& net = *net::network();
  net.start(*this, from_, net.link_to(to_).process(), Network::Start::now);
}

SendStream::~SendStream() {
  Network* const net = net::network();
  if (is_over() || net == nullptr) return;
  const transport::Links::Lock locked(net->links().lock());
  net->links().streams().forget(*this);
}

bool SendStream::is_lost() const {
  Network& net = *net::network();
  return net.peers().goes_on() && net.link_to(to_).is_lost();
}

// Pieces that are short for a record are put together, so that many of them do not become many
// packets.
bool SendStream::send_next(transport::Link& link, transport::Piece& piece) {
  const std::size_t most = std::min(next_piece_bytes(left_), left_);
  std::span<const std::byte> bytes = data_.here();
  if (bytes.size() < std::min(Limits::get().packed_below(), most)) {
    const std::span<std::byte> room(piece.room(), most);
    bytes = room.first(copy(room, data_));
  } else {
    bytes = bytes.first(std::min(bytes.size(), most));
    data_.advance(bytes.size());
  }
  const BytesRecord record{place_.address, sent_, place_.number, 0};
  sent_ += bytes.size();
  left_ -= bytes.size();
  const bool is_last = left_ == 0;
  link.lend_piece(Kind::bytes, from_, to_, std::as_bytes(std::span(&record, 1)), bytes, piece,
                  is_last ? transport::Link::Ack::soon : transport::Link::Ack::later);
  return !is_last;
}

void SendStream::ended() {
  const int rank = from_;
  is_over_.store(true, std::memory_order_release);  // and may be gone
  wait::notify(net::network()->mapping().slot(rank));
}

}  // namespace armature::message

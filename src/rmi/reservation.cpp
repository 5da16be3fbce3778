// Room for requests of variable length: buffer space in a ring, or a block in the sender's segment.
#include <cstring>
#include <utility>

#include "armature/detail/request.hpp"
#include "armature/detail/wire.hpp"
#include "rmi/endpoint.hpp"

namespace armature {

namespace detail {

using rmi::Endpoint;
using rmi::endpoint_of_caller;

namespace {
/// The head of a request whose arguments lie in a block: with a reply slot, in whole units.
constexpr std::size_t long_head_bytes_max =
    round_up(sizeof(RequestHeader) + sizeof(void*) + sizeof(LongArguments), RequestHeader::unit);
}  // namespace

// A shared endpoint is held from the first look on, so that nothing is executed between measuring
// and writing. find_room holds it a second time, until the request is committed. A thread that
// executes no calls has found room before that, as it waits while it holds the endpoint once.
bool Place::look(std::size_t used) {
  const rmi::CallBeside under_way("remote call");
  Endpoint& endpoint = endpoint_of_caller("remote call");
  rmi::EndpointContext& context = endpoint.context();
  rmi::Outbox& outbox = endpoint.outbox();
  if (context.is_shared && locks_ == 0) {
    context.hold();
    locks_ = 1;
    return false;
  }
  const auto has_room_beside = [&](std::size_t bytes) {
    return rmi::executes_calls() || outbox.has_room_beside(out_, bytes + context.checksum_bytes);
  };
  if (used > request_bytes_max) {
    at_ = block_ = outbox.find_block_at_once(out_, used);
    block_bytes_ = used;
    if (block_ == nullptr) return false;
    // Room for its head, too: nothing may be executed between writing and sending.
    const bool has_it = context.is_shared
                            ? has_room_beside(long_head_bytes_max)
                            : has_room(out_, long_head_bytes_max) ||
                                  outbox.find_room_at_once(out_, long_head_bytes_max) != nullptr;
    if (!has_it) {
      rmi::Blocks::mark_done(std::exchange(block_, nullptr));
      at_ = nullptr;
    }
  } else if (const std::size_t bytes = round_up(used, RequestHeader::unit);
             has_room_beside(bytes)) {
    at_ = outbox.find_room_at_once(out_, bytes);
    if (at_ != nullptr && context.is_shared) locks_ = 2;
  }
  return at_ != nullptr;
}

// A request in a block is written as it would be in the ring, its head too. What lies in the ring
// is that head and where the block is.
void Place::commit_found(std::size_t bytes, std::size_t head) {
  if (block_ == nullptr) {
    --locks_;
    return detail::commit(*detail::sender, out_, bytes);
  }
  const std::size_t short_bytes = round_up(head + sizeof(LongArguments), RequestHeader::unit);
  std::byte* const at = reserve(out_, short_bytes);
  std::memcpy(at, block_, head);
  RequestHeader header;
  std::memcpy(&header, at, sizeof header);
  header.units = static_cast<std::uint16_t>(short_bytes / RequestHeader::unit);
  header.kind |= RequestHeader::is_long;
  std::memcpy(at, &header, sizeof header);
  const LongArguments where{reinterpret_cast<std::uint64_t>(std::exchange(block_, nullptr)),
                            block_bytes_};
  std::memcpy(at + head, &where, sizeof where);
  detail::commit(*detail::sender, out_, short_bytes);
}

void Place::give_up() noexcept {
  if (block_ != nullptr) rmi::Blocks::mark_done(block_);
  for (; locks_ > 0; --locks_) endpoint_of_caller("remote call").context().let_go();
}

}  // namespace detail
}  // namespace armature

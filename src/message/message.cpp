#include "armature/message.hpp"

#include <cstring>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "message/messages.hpp"
#include "wait/rank_context.hpp"
#include "wait/thread_call.hpp"

namespace armature {

void send(Rank to, int tag, std::span<const std::byte> data) {
  const wait::ThreadCall under_way("send");
  wait::RankContext& me = wait::this_rank("send");
  me.space.require_rank(to, "send");
  if (tag < 0) base::fail(Errc::bad_argument, fmt::format("send: tag {}: tags are 0 or more", tag));
  message::messages_of(me).send(to, tag, data, "send");
}

Received receive(Rank from, int tag, std::span<std::byte> into) {
  const wait::ThreadCall under_way("receive");
  wait::RankContext& me = wait::this_rank("receive");
  if (from != Rank::none()) me.space.require_rank(from, "receive");
  if (tag < 0)
    base::fail(Errc::bad_argument, fmt::format("receive: tag {}: tags are 0 or more", tag));
  message::Message message =
      message::messages_of(me).receive(from, tag, "receive", space::Awaiting::message);
  const std::size_t bytes = message.data.size();
  if (bytes > into.size()) {
    const int sender = message.from;
    message::messages_of(me).put_back(std::move(message));
    base::fail(Errc::bad_argument,
               fmt::format("receive: a message of {} bytes from rank {} does not fit {} bytes",
                           bytes, sender, into.size()));
  }
  if (bytes > 0) std::memcpy(into.data(), message.data.data(), bytes);
  return {Rank(message.from), bytes};
}

}  // namespace armature

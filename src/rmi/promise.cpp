// The compiled half of armature/promise.hpp: an answer by whoever has it, where a question's comes
// from the one who was asked.
#include "armature/promise.hpp"

#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "rmi/endpoint.hpp"
#include "rmi/far_replies.hpp"

namespace armature::detail {

void give_answer(Rank asker, Reply* slot, const std::byte* bytes, std::size_t count) {
  rmi::Endpoint& endpoint = rmi::this_endpoint("remote_promise");
  const rmi::Endpoint::Use in_use = endpoint.use();
  if (slot == nullptr) base::fail(Errc::misuse, "remote_promise: it is empty, nobody waits for it");
  if (asker != endpoint.space().owner(slot) ||
      reinterpret_cast<std::uintptr_t>(slot) % alignof(Reply) != 0)
    base::fail(Errc::bad_argument,
               fmt::format("remote_promise: rank {} has asked nothing that could be answered there",
                           static_cast<int>(asker)));
  if (endpoint.space().is_here(asker) &&
      slot->state.load(std::memory_order_relaxed) != Reply::waiting)
    base::fail(Errc::misuse, "remote_promise: it has been answered already");
  rmi::StandIn stand_in;
  Call call;
  call.from = asker;
  call.reply = slot;
  if (!endpoint.space().is_here(asker)) {
    stand_in.asked_for = slot;
    call.reply = &stand_in.reply;
  }
  std::byte* const room = reply_room(call, count);
  if (count > 0) std::memcpy(room, bytes, count);
  publish_reply(call);
}

// Who answered is known by where a long answer lies; a short one lies in the slot.
void fetch_given(Reply* slot) {
  const space::AddressSpace& space = rmi::this_endpoint("future").space();
  check_reply(slot, slot->block == 0 ? Rank(space.me())
                                     : space.owner(reinterpret_cast<const void*>(slot->block)));
}

}  // namespace armature::detail

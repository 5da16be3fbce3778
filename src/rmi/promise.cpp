// The compiled half of armature/promise.hpp: an answer by whoever has the promise, where that of a
// two-way call comes from the rank that was called.
#include "armature/promise.hpp"

#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "rmi/endpoint.hpp"
#include "rmi/remote_replies.hpp"
#include "wait/ordered.hpp"

namespace armature::detail {

namespace {

/// Whether the answer may be written: the slot is the promise's then, and is not used for anything
/// else before it is published. Acquire: what the asker did with the slot comes before.
bool take_slot(Reply& slot, std::uint32_t number) {
  std::uint32_t found = number;
  if (slot.promise.compare_exchange_strong(found, number + 1, std::memory_order_acquire))
    return true;
  if (found == number + 1) base::fail(Errc::misuse, "remote_promise: it has been answered already");
  return false;
}

std::byte* room_for(Call& call, std::size_t bytes, const PromisedSlot& to) {
  try {
    return reply_room(call, bytes);
  } catch (...) {
    // The promise may be answered with less, or dropped.
    if (call.reply == to.slot) to.slot->promise.store(to.number, std::memory_order_release);
    throw;
  }
}

}  // namespace

void give_answer(const PromisedSlot& to, const std::byte* bytes, std::size_t count) {
  rmi::Endpoint& endpoint = rmi::this_endpoint("remote_promise");
  const rmi::Endpoint::Use in_use = endpoint.use();
  if (to.slot == nullptr)
    base::fail(Errc::misuse, "remote_promise: it is empty, nobody waits for it");
  if (to.asker != endpoint.space().owner(to.slot) || to.number == 0 || to.number % 2 != 0 ||
      reinterpret_cast<std::uintptr_t>(to.slot) % alignof(Reply) != 0)
    base::fail(Errc::bad_argument,
               fmt::format("remote_promise: rank {} has asked nothing that could be answered there",
                           static_cast<int>(to.asker)));
  rmi::StandIn stand_in;
  Call call;
  call.from = to.asker;
  call.reply = to.slot;
  if (!endpoint.space().is_here(to.asker)) {
    stand_in.asked_for = to.slot;
    stand_in.promise = to.number;
    call.reply = &stand_in.reply;
  } else if (!take_slot(*to.slot, to.number)) {
    return;
  }
  std::byte* const room = room_for(call, count, to);
  if (count > 0) std::memcpy(room, bytes, count);
  publish_reply(call);
}

// The rank that answered is known by where a long answer lies; a short one lies in the slot.
void fetch_given(Reply* slot) {
  const space::AddressSpace& space = rmi::this_endpoint("future").space();
  wait::hear_from(-1);
  check_reply(slot, slot->block == 0 ? Rank(space.me())
                                     : space.owner(reinterpret_cast<const void*>(slot->block)));
}

}  // namespace armature::detail

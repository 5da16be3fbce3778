#include "rmi/remote_replies.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "net/network.hpp"
#include "rma/pending_requests.hpp"
#include "rma/protocol.hpp"
#include "rma/remote.hpp"
#include "rmi/records.hpp"
#include "wait/notifier.hpp"

namespace armature::rmi {

using base::fail;
using detail::Reply;
using net::network;
using transport::Arrived;
using transport::Link;
using Lock = transport::Links::Lock;

namespace {

/// Kind::reply: what becomes of the asker's slot. The result follows, unless it is in a block.
struct ReplyRecord {
  std::uint64_t slot;
  std::uint64_t bytes;
  std::uint64_t block;  // of a long answer, in the answerer's segment
  std::uint16_t state;
  std::uint16_t code;
  std::uint32_t promise;  // its number; 0 of a two-way call
};

/// Kind::unwanted: a block with an answer that nobody waits for any more.
struct UnwantedRecord {
  std::uint64_t block;
};

constexpr std::size_t carried_max = Link::body_bytes_max - sizeof(ReplyRecord);

/// The slot that is answered: of a two-way call one that waits.
Reply& checked_slot(const Arrived& arrived, const ReplyRecord& record, std::size_t carried) {
  auto* const slot = reinterpret_cast<Reply*>(record.slot);
  if (network()->space_of(arrived.record.to) == nullptr ||
      !network()->mapping().holds(arrived.record.to, record.slot, sizeof(Reply)) ||
      record.slot % alignof(Reply) != 0 || record.state <= Reply::waiting ||
      record.state > Reply::refused || (record.block == 0 && carried != record.bytes) ||
      (record.block != 0 &&
       network()->space_of(arrived.record.to)->owner(reinterpret_cast<void*>(record.block)) !=
           Rank(arrived.record.from)) ||
      (record.promise == 0 && slot->state.load(std::memory_order_relaxed) != Reply::waiting))
    fail(Errc::corrupt, fmt::format("process {} answers what rank {} has not asked",
                                    arrived.process, arrived.record.to));
  return *slot;
}

/// Whether somebody waits for it: of a promise the future may have been dropped, or the answer be
/// the second.
bool is_wanted(Reply& slot, const ReplyRecord& record) {
  if (record.promise == 0) return true;
  std::uint32_t number = record.promise;
  // Acquire: what the asker did with the slot comes before.
  return number % 2 == 0 &&
         slot.promise.compare_exchange_strong(number, number + 1, std::memory_order_acquire);
}

void on_unwanted(const Arrived& arrived) {
  const std::uint64_t block = arrived.head<UnwantedRecord>().block;
  const int writer = arrived.record.to;
  if (network()->space_of(writer) == nullptr || block % 64 != 0 ||
      !network()->mapping().holds(writer, block - Blocks::head_bytes, Blocks::head_bytes))
    fail(Errc::corrupt,
         fmt::format("process {} gives back what is none of rank {}'s", arrived.process, writer));
  Blocks::mark_done(reinterpret_cast<std::byte*>(block));
}

void on_reply(const Arrived& arrived) {
  auto record = arrived.head<ReplyRecord>();
  auto result = arrived.rest(sizeof record);
  Reply& slot = checked_slot(arrived, record, result.size());
  if (!is_wanted(slot, record)) {
    if (record.block == 0) return;
    Link& link = network()->links().to(arrived.process);
    link.post(Kind::unwanted, arrived.record.to, arrived.record.from, UnwantedRecord{record.block},
              Link::Ack::none);
    return link.flush();
  }
  std::byte* to = slot.inline_result;
  if (record.block == 0 && result.size() > Reply::inline_bytes) {
    space::AddressSpace& space = *network()->space_of(arrived.record.to);
    to = Blocks::take_loose(space, result.size());
    if (to == nullptr && space.rolls_back()) return network()->links().ignore_all();
    record.block = reinterpret_cast<std::uint64_t>(to);
  }
  if (to == nullptr) {
    static constexpr std::string_view text = "no memory for the answer";
    result = std::as_bytes(std::span(text));
    to = slot.inline_result;
    record.bytes = text.size();
    record.state = Reply::threw;
    record.code = static_cast<std::uint16_t>(static_cast<int>(Errc::out_of_memory) + 1);
  }
  if (!result.empty()) std::memcpy(to, result.data(), result.size());
  slot.code = record.code;
  slot.bytes = record.bytes;
  slot.block = record.block;
  // Release: the result is in place.
  slot.state.store(record.state, std::memory_order_release);
  wait::notify(network()->mapping().slot(arrived.record.to));
}

}  // namespace

const std::array<transport::Handling, 2> reply_handlers{{
    {.kind = transport::number_of(Kind::reply), .handler = on_reply, .is_of_rank = true},
    {.kind = transport::number_of(Kind::unwanted), .handler = on_unwanted},
}};

void answer(space::AddressSpace& space, const detail::Call& call, Reply::State state) {
  if (space.is_here(call.from)) {
    // Release: the result is in place.
    call.reply->state.store(state, std::memory_order_release);
    return wait::notify(space.slot(call.from));
  }
  const auto& stand_in = *reinterpret_cast<const StandIn*>(call.reply);
  const Reply& reply = stand_in.reply;
  auto* const block = reinterpret_cast<std::byte*>(reply.block);
  const bool carried = reply.bytes <= carried_max;
  const ReplyRecord record{reinterpret_cast<std::uint64_t>(stand_in.asked_for),
                           reply.bytes,
                           carried ? 0 : reply.block,
                           state,
                           reply.code,
                           stand_in.promise};
  const std::size_t rest = carried ? reply.bytes : 0;
  {
    const Lock locked(network()->links().lock());
    Link& link = network()->link_to(call.from);
    std::byte* const body =
        link.append(Kind::reply, space.me(), call.from, sizeof record + rest, Link::Ack::none);
    std::memcpy(body, &record, sizeof record);
    if (rest > 0)
      std::memcpy(body + sizeof record, block != nullptr ? block : reply.inline_result, rest);
    link.flush();
  }
  if (carried && block != nullptr) Blocks::mark_done(block);
}

std::byte* room_to_fetch(space::AddressSpace& space, Blocks& blocks, const std::byte* block,
                         std::size_t bytes) {
  try {
    return blocks.take(space.me(), bytes, "remote call");
  } catch (...) {
    give_back_block(space, const_cast<std::byte*>(block));
    throw;
  }
}

// Does not let other requests in meanwhile: they come after the one whose arguments these are.
void fetch_into(std::byte* room, space::AddressSpace& space, Rank owner, const std::byte* block,
                std::size_t bytes) {
  try {
    rma::PendingGet get(owner, rma::IovCursor::contiguous(room, bytes), bytes);
    rma::ask_subarray(
        rma::operation_on(rma::Verb::get, owner, {room, block, bytes}, {.call = "remote call"}),
        get.number(), rma::Asked::now);
    get.wait_alone("remote call");
    give_back_block(space, const_cast<std::byte*>(block));
  } catch (...) {
    Blocks::mark_done(room);
    throw;
  }
}

void give_back_block(space::AddressSpace& space, std::byte* block) {
  const Rank owner = space.owner(block);
  if (Blocks::free_if_loose(space, block)) return;
  if (space.is_here(owner)) return Blocks::mark_done(block);
  const std::uint64_t done = 1;
  const auto put =
      rma::operation_on(rma::Verb::put, owner, {block - Blocks::head_bytes, &done, sizeof done},
                        {.call = "remote call"});
  (void)rma::start_good(put, rma::Finish::now);
}

}  // namespace armature::rmi

#include "rmi/far_replies.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "progress/bell.hpp"
#include "progress/network.hpp"
#include "rma/far.hpp"
#include "rma/questions.hpp"

namespace armature::rmi {

using base::fail;
using detail::Reply;
using progress::network;
using transport::Arrived;
using transport::Kind;
using transport::Link;
using Lock = std::lock_guard<std::recursive_mutex>;

namespace {

/// Kind::reply: what becomes of the asker's slot.
struct ReplyRecord {
  std::uint64_t slot;
  std::uint64_t bytes;
  std::uint64_t block;  // of a long answer, in the answerer's band
  std::uint32_t state;
  std::uint32_t code;
  std::byte inline_result[Reply::inline_bytes];
};

void on_reply(const Arrived& arrived) {
  const auto record = arrived.head<ReplyRecord>();
  const space::Mapping& mapping = network()->mapping();
  auto* const slot = reinterpret_cast<Reply*>(record.slot);
  if (network()->space_of(arrived.record.to) == nullptr ||
      !mapping.holds(arrived.record.to, record.slot, sizeof(Reply)) ||
      record.slot % alignof(Reply) != 0 || record.state <= Reply::waiting ||
      record.state > Reply::refused ||
      slot->state.load(std::memory_order_relaxed) != Reply::waiting)
    fail(Errc::corrupt, fmt::format("process {} answers what rank {} has not asked",
                                    arrived.process, arrived.record.to));
  slot->code = record.code;
  slot->bytes = record.bytes;
  slot->block = record.block;
  std::memcpy(slot->inline_result, record.inline_result, sizeof record.inline_result);
  // Release: the result is in place.
  slot->state.store(record.state, std::memory_order_release);
  progress::ring(mapping.slot(arrived.record.to));
}

}  // namespace

void install_far_replies(transport::Links& links) { links.handle(Kind::reply, on_reply); }

void answer(space::AddressSpace& space, const detail::Call& call, Reply::State state) {
  if (space.is_here(call.from)) {
    // Release: the result is in place.
    call.reply->state.store(state, std::memory_order_release);
    return progress::ring(space.slot(call.from));
  }
  const auto& stand_in = *reinterpret_cast<const StandIn*>(call.reply);
  ReplyRecord record{reinterpret_cast<std::uint64_t>(stand_in.asked_for),
                     stand_in.reply.bytes,
                     stand_in.reply.block,
                     static_cast<std::uint32_t>(state),
                     stand_in.reply.code,
                     {}};
  std::memcpy(record.inline_result, stand_in.reply.inline_result, sizeof record.inline_result);
  const Lock locked(network()->links().lock());
  Link& link = network()->link_to(call.from);
  link.post(Kind::reply, space.me(), call.from, record, Link::Ack::none);
  link.flush();
}

// Does not let other requests in meanwhile: they come after the one whose arguments these are.
std::byte* fetch_block(space::AddressSpace& space, Blocks& blocks, Rank owner,
                       const std::byte* block, std::size_t bytes) {
  std::byte* const here = blocks.take(space.me(), bytes, "remote call");
  rma::Fetch fetch(owner, rma::Runs::contiguous(here, bytes), bytes);
  rma::ask_section(*network(), owner, fetch.number(), block, bytes, {});
  fetch.wait_alone("remote call");
  give_back_block(space, const_cast<std::byte*>(block));
  return here;
}

void give_back_block(const space::AddressSpace& space, std::byte* block) {
  const Rank owner = space.owner(block);
  if (space.is_here(owner)) return Blocks::mark_done(block);
  const std::uint64_t done = 1;
  rma::put_far(*network(), owner, block - Blocks::head_bytes, &done, sizeof done, "remote call");
}

}  // namespace armature::rmi

// The compiled half of armature/detail/reply.hpp: a two-way call's reply slot, the wait for the
// answer, and room for the answer on the other side.
#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "armature/detail/method.hpp"
#include "armature/detail/reply.hpp"
#include "base/fail.hpp"
#include "base/valgrind.hpp"
#include "rmi/endpoint.hpp"
#include "rmi/failure.hpp"
#include "rmi/remote_replies.hpp"
#include "wait/elsewhere.hpp"
#include "wait/notifier.hpp"
#include "wait/ordered.hpp"
#include "wait/wait.hpp"

namespace armature::detail {

using rmi::Endpoint;
using rmi::endpoint_of_caller;
using rmi::this_endpoint;

namespace {

[[noreturn, gnu::cold]] void refuse_depth(Endpoint& endpoint, Rank to, int depth) {
  base::fail(
      Errc::nesting,
      fmt::format("a two-way call to rank {} would be the {}th of a chain of calls made while "
                  "answering calls; the limit is {} (armature run --nesting-max)",
                  static_cast<int>(to), depth + 1, endpoint.context().settings.nesting_max));
}

void require_not_too_deep(Endpoint& endpoint, Rank to) {
  // A thread that runs a concurrent method has its depth to itself.
  const int depth = rmi::executes_calls() ? endpoint.context().sender.depth : sender->depth;
  if (depth >= static_cast<int>(endpoint.context().settings.nesting_max)) [[unlikely]]
    refuse_depth(endpoint, to, depth);
}

/// The endpoint of a thread that shares it with none, as nearly all do; nullptr for others.
Endpoint* own_endpoint() {
  if (!rmi::executes_calls()) return nullptr;
  Endpoint& endpoint = Endpoint::of(*sender);
  return endpoint.context().is_shared ? nullptr : &endpoint;
}

Reply* take_slot(Endpoint& endpoint, Rank to) {
  endpoint.space().require_rank(to, "remote call");
  require_not_too_deep(endpoint, to);
  return endpoint.replies().take();
}

[[gnu::noinline]] Reply* take_slot_beside_others(Rank to) {
  const rmi::CallBeside under_way("remote call");
  Endpoint& endpoint = endpoint_of_caller("remote call");
  const Endpoint::Use in_use = endpoint.use();
  return take_slot(endpoint, to);
}

}  // namespace

Reply* new_reply(Rank to) {
  if (Endpoint* const endpoint = own_endpoint()) [[likely]]
    return take_slot(*endpoint, to);
  return take_slot_beside_others(to);
}

// The endpoint of a rank that has its turns on this thread is its own alone. Elsewhere ranks are
// woken at once.
Reply* new_awaited_reply(Rank to) {
  Endpoint* const endpoint = own_endpoint();
  if (endpoint == nullptr) [[unlikely]]
    return take_slot_beside_others(to);
  Reply* const reply = take_slot(*endpoint, to);
  if (endpoint->context().rank.scheduler != nullptr)
    endpoint->context().kept_wake.keep(static_cast<int>(to));
  return reply;
}

Reply* new_promised_reply(Rank likely, std::uint32_t& number) {
  Endpoint& endpoint = this_endpoint("remote call");
  const Endpoint::Use in_use = endpoint.use();
  endpoint.space().require_rank(likely, "remote call");
  require_not_too_deep(endpoint, likely);
  return endpoint.replies().take_promised(number);
}

namespace {

[[gnu::noinline]] void drop_beside_others(Reply* reply) noexcept {
  const auto drop = [reply](Endpoint& endpoint) {
    const Endpoint::Use in_use = endpoint.use();
    endpoint.context().kept_wake.wake();
    endpoint.replies().give_back(reply);
  };
  if (rmi::executes_calls()) return drop(Endpoint::of(*sender));
  // The process may have left the job, and the reply's slot has gone with that.
  const wait::ThreadCall under_way(std::nothrow);
  if (!under_way.has_begun()) return;
  if (Endpoint* const endpoint = rmi::shared_endpoint()) drop(*endpoint);
}

}  // namespace

void drop_reply(Reply* reply) noexcept {
  Endpoint* const endpoint = own_endpoint();
  if (endpoint == nullptr) [[unlikely]]
    return drop_beside_others(reply);
  endpoint->context().kept_wake.wake();
  endpoint->replies().give_back(reply);
}

bool reply_is_there(const Reply* reply) {
  // Acquire: the result was written before.
  return reply->state.load(std::memory_order_acquire) != Reply::waiting;
}

Reader read_reply(const Reply* reply) {
  const auto* start =
      reply->block == 0 ? reply->inline_result : reinterpret_cast<const std::byte*>(reply->block);
  return Reader(start, start, start + reply->bytes);
}

namespace {

/// A long answer of a rank on another node is fetched before it is read.
void fetch_answer(Endpoint& endpoint, Reply& reply, Rank from) {
  space::AddressSpace& space = endpoint.space();
  const auto* block = reinterpret_cast<const std::byte*>(reply.block);
  if (reply.block == 0 || space.is_here(from) || space.owner(block) != from) return;
  if (!rmi::Blocks::may_be(space, block, reply.bytes, from))
    base::fail(Errc::corrupt,
               fmt::format("the answer of rank {} makes no sense", static_cast<int>(from)));
  // The endpoint is held for the room alone: others go on while the bytes come.
  std::byte* const here = [&] {
    const Endpoint::Use in_use = endpoint.use();
    return rmi::room_to_fetch(space, endpoint.blocks(), block, reply.bytes);
  }();
  rmi::fetch_into(here, space, from, block, reply.bytes);
  reply.block = reinterpret_cast<std::uint64_t>(here);
}

[[gnu::noinline]] void check_long(Endpoint& endpoint, Reply& reply, Rank from) {
  fetch_answer(endpoint, reply, from);
  const Rank writer = endpoint.space().is_here(from) ? from : endpoint.space().me();
  if (reply.block == 0
          ? reply.bytes > Reply::inline_bytes
          : !rmi::Blocks::may_be(endpoint.space(), reinterpret_cast<const std::byte*>(reply.block),
                                 reply.bytes, writer))
    base::fail(Errc::corrupt,
               fmt::format("the answer of rank {} makes no sense", static_cast<int>(from)));
  if (reply.block != 0)
    base::mark_defined(reinterpret_cast<const std::byte*>(reply.block), reply.bytes);
}

[[noreturn]] void rethrow(const Reply& reply, Rank from) {
  Reader reader = read_reply(&reply);
  std::string text(reply.bytes, '\0');
  reader.bytes(text.data(), text.size());
  rmi::throw_remote(static_cast<Errc>(reply.code - 1), from, text);
}

void check(Endpoint& endpoint, Reply& reply, Rank from) {
  wait::hear_from(from);
  if (reply.block != 0 || reply.bytes > Reply::inline_bytes) [[unlikely]]
    check_long(endpoint, reply, from);
  if (reply.state.load(std::memory_order_acquire) != Reply::answered) [[unlikely]]
    rethrow(reply, from);
}

/// Looks for the answer of a rank that runs elsewhere meanwhile, and executes calls in turn.
bool sees_soon(Endpoint& endpoint, const Reply* reply) {
  if (endpoint.context().rank.scheduler != nullptr) return false;
  const wait::Elsewhere waits(&endpoint.context().rank);
  for (int looks = 0; looks < wait::spins(); ++looks) {
    if (reply_is_there(reply)) return true;
    if (looks % wait::long_look_one_in == 0 || endpoint.has_come()) endpoint.deliver();
  }
  return reply_is_there(reply);
}

[[gnu::noinline]] void await_long(Reply* reply, Rank from) {
  const rmi::CallBeside under_way("remote call");
  Endpoint& endpoint = endpoint_of_caller("remote call");
  const bool executes = rmi::executes_calls();
  wait::WaitFor wait{
      .what = space::Awaiting::answer, .peer = from, .object = reply, .call = "remote call"};
  if (!executes) endpoint.publish();  // at once: it may be this very call
  if (executes && endpoint.context().kept_wake.forget()) {
    if (!wait::hand_over(endpoint.context().rank, wait))
      wait::notify(endpoint.space().slot(from));
    else if (reply_is_there(reply))
      return check(endpoint, *reply, from);
  }
  // The wait itself delivers often enough where the other rank needs this thread to answer.
  const bool delivers = executes && endpoint.context().rank.scheduler == nullptr;
  const rmi::LetOthersCall concurrent_ones(endpoint.context());
  const rmi::MethodWaits waits(endpoint.methods());
  wait::wait_until(wait, [&] {
    if (reply_is_there(reply)) return true;
    if (!delivers) return false;
    endpoint.deliver();
    return reply_is_there(reply);
  });
  check(endpoint, *reply, from);
}

}  // namespace

void await_reply(Reply* reply, Rank from) {
  if (Endpoint* const endpoint = own_endpoint(); endpoint != nullptr && sees_soon(*endpoint, reply))
    return check(*endpoint, *reply, from);
  await_long(reply, from);
}

void check_reply(Reply* reply, Rank from) {
  const rmi::CallBeside under_way("remote call");
  check(endpoint_of_caller("remote call"), *reply, from);
}

std::byte* reply_room(Call& call, std::size_t bytes) {
  // A result that could not be written may have been before.
  if (call.reply->block != 0)
    rmi::Blocks::mark_done(reinterpret_cast<std::byte*>(std::exchange(call.reply->block, 0)));
  call.reply->bytes = bytes;
  if (bytes <= Reply::inline_bytes) return call.reply->inline_result;
  std::byte* block = this_endpoint("answer").blocks().take(call.from, bytes, "answer");
  call.reply->block = reinterpret_cast<std::uint64_t>(block);
  return block;
}

void publish_reply(Call& call) {
  rmi::answer(this_endpoint("answer").space(), call, Reply::answered);
}

void Reader::corrupt() {
  base::fail(Errc::corrupt, "a message is shorter than what it should hold");
}

}  // namespace armature::detail

#include "rmi/endpoint.hpp"

#include <utility>

#include <fmt/format.h>

#include "armature/future.hpp"
#include "armature/own_call.hpp"
#include "base/fail.hpp"
#include "base/valgrind.hpp"
#include "rmi/failure.hpp"
#include "rmi/far_replies.hpp"
#include "rmi/modules.hpp"
#include "rmi/seal.hpp"
#include "wait/bell.hpp"
#include "wait/trace.hpp"
#include "wait/wait.hpp"

namespace armature {
namespace rmi {

namespace {

static_assert(sizeof(detail::Outgoing) <= space::BandHead::calls_bytes &&
              std::is_trivially_destructible_v<detail::Outgoing>);

/// Zeros are what each begins as.
detail::Outgoing* outgoing_in(const space::AddressSpace& space) {
  auto* const head = reinterpret_cast<std::byte*>(&space.head(space.me()));
  return reinterpret_cast<detail::Outgoing*>(
      head + space::BandHead::calls_offset(static_cast<std::uint32_t>(space.ranks())));
}

}  // namespace

Endpoint::Endpoint(wait::RankContext& context, const Settings& settings, Team everyone)
    : context_(context),
      space_(context.space),
      settings_(settings),
      has_service_(settings.service_thread),
      seal_bytes_(context.space.checks_in_full() ? sizeof(Seal) : 0),
      may_lag_(!settings.service_thread && context.scheduler == nullptr &&
               context.weather == nullptr && !wait::cores_are_shared()),
      traces_(wait::traces()),
      everyone_(std::move(everyone)),
      channels_(context.space.slot(context.space.me()).channels),
      outgoing_(outgoing_in(context.space)),
      replies_(context.space),
      blocks_(context.space),
      fences_(*this) {
  if (has_service_ && context.scheduler != nullptr)
    base::fail(Errc::start,
               "ARMATURE_SERVICE_THREADS: ranks that take turns on a thread, as virtual and "
               "simulated ones do, have no service threads: calls are executed when a rank waits");
  sender_.endpoint = this;
  find_modules();
  sender_.to = outgoing_;
  sender_.ranks = static_cast<std::uint32_t>(space_.ranks());
  sender_.until_poll = settings_.poll_every;
}

void Endpoint::set(const Settings& settings) {
  check(settings);
  const Use in_use = use();
  if (settings.service_thread != has_service_)
    base::fail(Errc::misuse,
               "set_rmi_settings: whether ranks have service threads is decided at launch");
  flush();
  settings_ = settings;
  sender_.until_poll = settings_.poll_every;
  for (const int rank : lanes_.indices()) {
    const auto to = static_cast<std::size_t>(rank);
    if (lanes_[to].channel != nullptr && lanes_[to].overflow.empty()) {
      choose_way(outgoing_[to]);
      lanes_[to].committed = outgoing_[to].at;
    }
  }
}

std::uint64_t Endpoint::executed(int from) const {
  for (const auto& in : incoming_)
    if (in->from == from) return in->executed;
  if (executed_before_ == nullptr) return 0;
  const std::uint64_t* const before = executed_before_->find(static_cast<std::size_t>(from));
  return before != nullptr ? *before : 0;
}

std::uint64_t Endpoint::sent() const {
  std::uint64_t sum = 0;
  for (const int to : lanes_.indices()) sum += outgoing_[static_cast<std::size_t>(to)].sent;
  return sum;
}

std::uint64_t Endpoint::executed() const {
  std::uint64_t sum = 0;
  for (const auto& in : incoming_) sum += in->executed;
  if (executed_before_ == nullptr) return sum;
  for (const int from : executed_before_->indices())
    sum += *executed_before_->find(static_cast<std::size_t>(from));
  return sum;
}

void Endpoint::watch(std::shared_ptr<detail::FutureBase> future) {
  const Use in_use = use();
  watched_.push_back(std::move(future));
}

void Endpoint::is_due(std::shared_ptr<detail::FutureBase> future) {
  const Use in_use = use();
  due_.push_back(std::move(future));
}

Endpoint& find_endpoint(const char* call) {
  wait::RankContext& me = wait::this_rank(call);
  Endpoint* const endpoint = endpoint_slot.in(me.slots);
  if (endpoint == nullptr)
    base::fail(Errc::misuse, fmt::format("{}: this rank has left the job", call));
  return *endpoint;
}

}  // namespace rmi

namespace detail {

using rmi::Endpoint;
using rmi::this_endpoint;

void no_such_rank(Rank rank) {
  this_endpoint("remote call").space().require_rank(rank, "remote call");
  base::fail(Errc::misuse, "remote call: called outside armature::run");
}

std::byte* find_room(Sender& me, Outgoing& out, std::size_t bytes) {
  return Endpoint::of(me).find_room(out, bytes);
}

void commit_indirect(Sender& me, Outgoing& out) { Endpoint::of(me).commit_indirect(out); }
void wake_receiver(Sender& me, Outgoing& out) { Endpoint::of(me).wake(out); }

// A method is not interrupted by its own calls: only waiting lets others in.
void poll_now(Sender& me) {
  Endpoint& endpoint = Endpoint::of(me);
  const Endpoint::Use in_use = endpoint.use();
  me.until_poll = endpoint.settings().poll_every;
  if (!endpoint.puts_off()) endpoint.deliver();
}

void catch_up(Sender& me) { Endpoint::of(me).catch_up(); }

// -- questions and answers ------------------------------------------------------------------------

namespace {

Endpoint& may_ask(Rank to) {
  Endpoint& endpoint = this_endpoint("remote question");
  endpoint.space().require_rank(to, "remote question");
  return endpoint;
}

void require_not_too_deep(Endpoint& endpoint, Rank to) {
  if (endpoint.sender().depth >= endpoint.settings().nesting_max)
    base::fail(
        Errc::nesting,
        fmt::format("a question to rank {} would be the {}th of a chain of questions asked while "
                    "answering questions; the limit is {} (armature run --nesting-max)",
                    static_cast<int>(to), endpoint.sender().depth + 1,
                    endpoint.settings().nesting_max));
}

}  // namespace

Reply* new_reply(Rank to) {
  Endpoint& endpoint = may_ask(to);
  const Endpoint::Use in_use = endpoint.use();
  require_not_too_deep(endpoint, to);
  return endpoint.replies().take();
}

Reply* new_promised_reply(Rank likely, std::uint32_t& number) {
  Endpoint& endpoint = may_ask(likely);
  const Endpoint::Use in_use = endpoint.use();
  require_not_too_deep(endpoint, likely);
  return endpoint.replies().take_promised(number);
}

void drop_reply(Reply* reply) noexcept {
  if (sender == nullptr) return;
  Endpoint& endpoint = this_endpoint("remote question");
  const Endpoint::Use in_use = endpoint.use();
  endpoint.replies().give_back(reply);
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
  const space::AddressSpace& space = endpoint.space();
  const auto* block = reinterpret_cast<const std::byte*>(reply.block);
  if (reply.block == 0 || space.is_here(from) || space.owner(block) != from) return;
  if (!rmi::Blocks::may_be(space, block, reply.bytes, from))
    base::fail(Errc::corrupt,
               fmt::format("the answer of rank {} makes no sense", static_cast<int>(from)));
  const Endpoint::Use in_use = endpoint.use();
  reply.block = reinterpret_cast<std::uint64_t>(
      rmi::fetch_block(endpoint.space(), endpoint.blocks(), from, block, reply.bytes));
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
  if (reply.block != 0 || reply.bytes > Reply::inline_bytes) [[unlikely]]
    check_long(endpoint, reply, from);
  if (reply.state.load(std::memory_order_acquire) != Reply::answered) [[unlikely]]
    rethrow(reply, from);
}

}  // namespace

void await_reply(Reply* reply, Rank from) {
  Endpoint& endpoint = this_endpoint("remote question");
  wait::WaitFor wait{
      .what = space::Awaiting::answer, .peer = from, .object = reply, .call = "remote question"};
  // Where the other rank needs this thread to answer, the wait itself delivers often enough.
  const bool shares_thread = endpoint.shares_thread();
  wait::wait_until(wait, [&] {
    if (reply_is_there(reply)) return true;
    if (shares_thread) return false;
    endpoint.deliver();
    return reply_is_there(reply);
  });
  check(endpoint, *reply, from);
}

void check_reply(Reply* reply, Rank from) { check(this_endpoint("remote question"), *reply, from); }

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

}  // namespace detail
}  // namespace armature

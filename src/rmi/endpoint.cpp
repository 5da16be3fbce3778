#include "rmi/endpoint.hpp"

#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "armature/own_call.hpp"
#include "base/fail.hpp"
#include "rmi/code_registry.hpp"

namespace armature {
namespace rmi {

Endpoint::Endpoint(wait::RankContext& context, const Settings& settings, Team everyone)
    : context_(context, settings, *this),
      everyone_(std::move(everyone)),
      replies_(context.space),
      blocks_(context.space),
      outbox_(context_, blocks_),
      dispatcher_(context_, objects_, blocks_),
      inbox_(context_, dispatcher_),
      flow_control_(context_, outbox_, inbox_, blocks_),
      futures_(context_),
      fences_(context_, outbox_, inbox_),
      service_(context_, inbox_) {
  context_.sender.endpoint = this;
  find_modules();
}

void Endpoint::set(const Settings& settings) {
  check(settings);
  const Use in_use = use();
  if (settings.service_thread != context_.has_service)
    base::fail(Errc::misuse,
               "set_rmi_settings: whether ranks have service threads is decided at launch");
  outbox_.flush();
  context_.settings = settings;
  context_.sender.until_poll = settings.poll_every;
  outbox_.adopt_settings();
}

bool Endpoint::has_work() {
  const Use in_use = use();
  return inbox_.has_news() || outbox_.has_to_send() ||
         (fences_.are_under_way() && fences_.can_advance()) || futures_.has_work();
}

void Endpoint::deliver() {
  if (!context_.has_service) [[likely]]
    return execute_all();
  const Use in_use(context_.mutex, std::try_to_lock);
  if (in_use.owns_lock()) execute_all();
}

void Endpoint::poll() {
  {
    const Use in_use = use();
    inbox_.stop_lagging();
  }
  deliver();
}

void Endpoint::execute_all() {
  ++context_.rounds;
  outbox_.flush();
  outbox_.drain_overflow();
  if (context_.in_method()) dispatcher_.release_block();
  inbox_.find_new_channels();
  if (!context_.in_method() && flow_control_.must_hold_back()) [[unlikely]] {
    flow_control_.take_in_a_slice();
  } else {
    inbox_.receive_all();
    futures_.settle(fences_.are_under_way());
  }
  fences_.advance();
}

Endpoint& find_endpoint(const char* call) {
  wait::RankContext& me = wait::this_rank(call);
  // Nothing orders it with the rank's own thread, which may be executing calls.
  if (!wait::runs_rank())
    base::fail(Errc::misuse,
               fmt::format("{}: called by a thread that the program has started: remote calls, and "
                           "futures of them, are for the thread that runs the rank",
                           call));
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
  return Endpoint::of(me).outbox().find_room(out, bytes);
}

void commit_indirect(Sender& me, Outgoing& out) { Endpoint::of(me).outbox().commit_indirect(out); }
void wake_receiver(Sender& me, Outgoing& out) { Endpoint::of(me).outbox().wake(out); }

// A method is not interrupted by its own calls: only waiting lets others in.
void poll_now(Sender& me) {
  Endpoint& endpoint = Endpoint::of(me);
  const Endpoint::Use in_use = endpoint.use();
  me.until_poll = endpoint.context().settings.poll_every;
  if (!endpoint.context().puts_off()) endpoint.deliver();
}

void catch_up(Sender& me) { Endpoint::of(me).flow_control().catch_up(); }

}  // namespace detail
}  // namespace armature

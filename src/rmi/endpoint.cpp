#include "rmi/endpoint.hpp"

#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "armature/own_call.hpp"
#include "base/fail.hpp"
#include "rmi/code_registry.hpp"
#include "wait/notifier.hpp"

namespace armature {
namespace rmi {

namespace {

/// Whether threads that the program starts may call, from now on.
void share(EndpointContext& context, bool with_program_threads) {
  if (context.in_method() || context.is_in_use())
    base::fail(Errc::misuse,
               "set_rmi_settings: called inside a remote method or a continuation: whether threads "
               "that the program starts may call is set outside");
  if (with_program_threads) context.require_program_threads("set_rmi_settings");
  if (!context.has_service) context.is_shared = with_program_threads;
}

/// The calling thread executes calls. What comes when its outermost method has looked for the last
/// time is for those that were passed over, and may have gone to sleep.
class Executing {
 public:
  explicit Executing(EndpointContext& context)
      : context_(context),
        before_(std::exchange(context.executor, wait::number_of_thread())),
        waiting_(std::exchange(context.depth_of_waiting, std::nullopt)) {
    if (waiting_) context.sender.depth = *waiting_;
  }
  Executing(const Executing&) = delete;
  Executing& operator=(const Executing&) = delete;
  ~Executing() {
    if (waiting_) context_.sender.depth = 0;
    context_.depth_of_waiting = waiting_;
    context_.executor = before_;
    if (before_ == 0 && std::exchange(context_.passed_over, false))
      wait::notify(context_.space.slot(context_.space.me()));
  }

 private:
  EndpointContext& context_;
  const std::uint32_t before_;
  const std::optional<std::uint8_t> waiting_;  // as deep is the method that waits below
};

}  // namespace

Endpoint::Endpoint(wait::RankContext& context, const Settings& settings, Team everyone)
    : context_(context, settings, *this),
      replies_(context.space),
      blocks_(context.space),
      outbox_(context_, blocks_),
      dispatcher_(context_, objects_, blocks_),
      methods_(context_, dispatcher_.failures()),
      inbox_(context_, dispatcher_, methods_),
      left_calls_(context_, objects_, dispatcher_.failures()),
      flow_control_(context_, outbox_, inbox_, left_calls_, blocks_),
      futures_(context_),
      fences_(context_, outbox_, inbox_, std::move(everyone)),
      service_(context_, inbox_, left_calls_) {
  context_.sender.endpoint = this;
  objects_.note_users([this](const void* object) { return methods_.runs(object); });
  find_modules();
}

void Endpoint::set(const Settings& settings) {
  check(settings);
  const Use in_use(context_.mutex);  // also where it is not shared: see publish()
  if (settings.service_thread != context_.has_service)
    base::fail(Errc::misuse,
               "set_rmi_settings: whether ranks have service threads is decided at launch");
  outbox_.flush();
  if (settings.program_threads != context_.settings.program_threads)
    share(context_, settings.program_threads);
  context_.settings = settings;
  context_.sender.until_poll = settings.poll_every;
  outbox_.adopt_settings();
}

bool Endpoint::has_work() {
  if (!executes_calls()) return false;
  const Use in_use = use();
  // The thread whose method waits executes all that has come.
  if (context_.another_executes()) {
    context_.passed_over = true;
    return false;
  }
  return inbox_.has_news() || outbox_.has_to_send() || methods_.has_work(context_.in_method()) ||
         (!left_calls_.empty() && !context_.is_service_thread()) ||
         (fences_.are_under_way() && fences_.can_advance()) || futures_.has_work();
}

/// A rank that waits comes here each time around, and mostly finds nothing. So what a round may be
/// about beside calls is asked by a load and a branch each, and done elsewhere.
inline void Endpoint::execute_all() {
  ++context_.rounds;
  if (!context_.publishes_directly() || context_.kept_wake.keeps_one() ||
      context_.sender.level != 0 || flow_control_.may_hold_back() || methods_.has_news() ||
      futures_.are_any() || fences_.are_under_way()) [[unlikely]]
    return execute_and_more();
  inbox_.find_new_channels();
  if (!inbox_.receive_all()) return;
  inbox_.run_queued();
  futures_.settle(fences_.are_under_way());
  fences_.advance();
}

void Endpoint::deliver() {
  if (!executes_calls()) [[unlikely]]
    return publish();
  if (!context_.is_shared) [[likely]]
    return execute_all();
  deliver(context_.mutex);
}

[[gnu::noinline]] void Endpoint::deliver(EndpointMutex& shared) {
  const Use in_use(shared, std::try_to_lock);
  if (!in_use.owns_lock()) return;
  if (context_.another_executes()) {  // its method waits for an answer
    context_.passed_over = true;
    return outbox_.flush();
  }
  const Executing executing(context_);
  execute_all();
}

/// True as well where deliver() is about more than new calls.
bool Endpoint::has_come() {
  return !executes_calls() || context_.is_shared || context_.rank.fault_model != nullptr ||
         methods_.has_news() || futures_.are_any() || fences_.are_under_way() || inbox_.has_come();
}

bool Endpoint::deliver_from(int rank) {
  if (!executes_calls() || context_.is_shared) return true;
  if (context_.in_method())
    dispatcher_.release_block();
  else if (flow_control_.must_hold_back())
    return true;
  inbox_.find_new_channels();
  (void)inbox_.receive_from(rank);
  return outbox_.has_to_send() || fences_.are_under_way() || futures_.has_work() ||
         methods_.has_work(context_.in_method());
}

// Whether it is shared is asked behind the lock: the rank's own thread may just change that.
void Endpoint::publish() {
  const Use in_use(context_.mutex, std::try_to_lock);
  if (in_use.owns_lock() && context_.is_shared) outbox_.flush();
}

// The endpoint is kept: another thread that had it now might execute nothing.
void Endpoint::poll() {
  Use in_use = use();
  inbox_.stop_lagging();
  if (context_.has_service) in_use = Use();
  deliver();
}

[[gnu::noinline]] void Endpoint::execute_and_more() {
  context_.kept_wake.wake();
  outbox_.flush();
  outbox_.drain_overflow();
  if (context_.in_method()) dispatcher_.release_block();
  inbox_.find_new_channels();
  if (!context_.in_method() && flow_control_.must_hold_back()) [[unlikely]] {
    flow_control_.take_in_a_slice();
  } else {
    // Calls that were left to the rank come before those that come now, which are left then, too.
    const bool runs_left = context_.has_service && !context_.is_service_thread();
    if (runs_left) left_calls_.run_all();
    (void)inbox_.receive_all();
    if (runs_left) left_calls_.run_all();
    inbox_.run_queued();
    futures_.settle(fences_.are_under_way());
  }
  fences_.advance();
}

Endpoint& find_endpoint(const char* call) {
  const wait::RankContext& me = wait::this_rank(call);
  // Nothing orders it with the rank's own thread, which may be executing calls.
  if (!wait::runs_rank())
    base::fail(Errc::misuse,
               fmt::format("{}: called by a thread that the program has started: this call is for "
                           "the thread that runs the rank",
                           call));
  Endpoint* const endpoint = endpoint_slot.in(me.slots);
  if (endpoint == nullptr)
    base::fail(Errc::misuse, fmt::format("{}: this rank has left the job", call));
  return *endpoint;
}

Endpoint* shared_endpoint() {
  const wait::RankContext* const me = wait::current_rank();
  Endpoint* const endpoint = me != nullptr ? endpoint_slot.in(me->slots) : nullptr;
  return endpoint != nullptr && endpoint->context().is_shared ? endpoint : nullptr;
}

Endpoint& require_shared_endpoint(const char* call) {
  if (Endpoint* const endpoint = shared_endpoint()) return *endpoint;
  const wait::RankContext& me = wait::this_rank(call);
  if (!wait::runs_rank() && endpoint_slot.in(me.slots) != nullptr)
    base::fail(Errc::misuse,
               fmt::format("{}: called by a thread that the program has started: remote calls are "
                           "for the thread that runs the rank, unless that has set "
                           "RmiSettings::program_threads (armature run --program-threads)",
                           call));
  return find_endpoint(call);
}

}  // namespace rmi

namespace detail {

using rmi::Endpoint;
using rmi::endpoint_of_caller;

Outgoing& find_channel(Rank rank) {
  const rmi::CallBeside under_way("remote call");
  Endpoint& endpoint = endpoint_of_caller("remote call");
  endpoint.space().require_rank(rank, "remote call");
  return endpoint.context().sender.to[static_cast<int>(rank)];
}

void no_own_call() {
  (void)rmi::this_endpoint("remote call");
  base::fail(Errc::misuse, "remote call: this rank has left the job");
}

std::byte* find_room(Sender&, Outgoing& out, std::size_t bytes) {
  const rmi::CallBeside under_way("remote call");
  return endpoint_of_caller("remote call").outbox().find_room(out, bytes);
}

void commit_indirect(Sender&, Outgoing& out) {
  endpoint_of_caller("remote call").outbox().commit_indirect(out);
}
void wake_receiver(Sender& me, Outgoing& out) { Endpoint::of(me).outbox().wake(out); }

// A method is not interrupted by its own calls: only waiting lets others in.
void poll_now(Sender& me) {
  Endpoint& endpoint = Endpoint::of(me);
  const Endpoint::Use in_use = endpoint.use();
  me.until_poll = endpoint.context().settings.poll_every;
  if (!endpoint.context().puts_off()) endpoint.deliver();
}

bool hand_over(const Call& call, const Method& method, RunConcurrent run) {
  return Endpoint::of(*sender).methods().take(call, method, run);
}

void catch_up(Sender& me) { Endpoint::of(me).flow_control().catch_up(); }

}  // namespace detail
}  // namespace armature

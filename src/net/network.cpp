#include "net/network.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <utility>

#include "base/runtime.hpp"
#include "net/farewell.hpp"
#include "net/records.hpp"
#include "wait/processes.hpp"
#include "wait/rank_context.hpp"

namespace armature::net {

using transport::Arrived;
using transport::Link;
using transport::Links;
using Lock = transport::Links::Lock;

namespace {

void on_life(const Arrived& arrived) { network()->peers().on_life(arrived); }
void on_ring(const Arrived& arrived) { network()->rings().on_ring(arrived); }
void on_room(const Arrived& arrived) { network()->rings().on_room(arrived); }
void on_notify(const Arrived& arrived) { network()->rings().on_notify(arrived); }

void tell_first_refusal(transport::Refusals::Why why) {
  const bool is_repeated = why == transport::Refusals::Why::repeated;
  std::fprintf(stderr,
               "armature: process %d has refused a packet of the network: %s. Nothing is lost by "
               "that%s; others like it are counted\n",
               network()->links().process(),
               is_repeated ? "it had come before" : "no process of this job has sent it as it is",
               is_repeated ? "" : ", unless it was changed on its way");
}

void tell_refusals(transport::Links& links) {
  const transport::Refusals& all = links.refusals();
  if (all.all() <= 1) return;
  std::fprintf(stderr,
               "armature: process %d has refused %llu packets of the network: %llu not of this "
               "job, or changed, and %llu that had come before\n",
               links.process(), static_cast<unsigned long long>(all.all()),
               static_cast<unsigned long long>(all.strange()),
               static_cast<unsigned long long>(all.repeated()));
}

constexpr std::array<transport::Handling, 4> handlers{{
    {.kind = transport::number_of(Kind::life), .handler = on_life},
    {.kind = transport::number_of(Kind::ring), .handler = on_ring, .is_of_rank = true},
    {.kind = transport::number_of(Kind::room), .handler = on_room, .is_of_rank = true},
    {.kind = transport::number_of(Kind::notify), .handler = on_notify, .is_of_rank = true},
}};

}  // namespace

const transport::Service service{.name = "net",
                                 .records_count = static_cast<std::uint8_t>(Kind::count),
                                 .handlers = {handlers},
                                 .reset = [] { network()->rings().forget_all(); }};

Network::Network(const space::Mapping& mapping, Spaces spaces, const Links::Options& options,
                 bootstrap::Exchange& exchange, NetworkOptions how)
    : map_(mapping, std::move(spaces)),
      links_(options),
      rings_(links_, map_),
      peers_(mapping, links_),
      heartbeat_(links_, peers_),
      flush_(links_, map_, peers_, rings_, *this, engine_parts_),
      thread_(links_, map_, {peers_, heartbeat_, [this] { return look(); }}),
      book_(mapping.control(), exchange),
      options_(std::move(how)) {
  for (const transport::Service* const one : links_.services().all())
    if (one->poll != nullptr) polls_.push_back(one->poll);
  if (options_.connects_on_demand)
    links_.on_first_use = [this](int process) { handshake([] {}).connect_to(process, options_); };
  links_.refusals().on_first = tell_first_refusal;
  links_.on_idle = [](Link& link) { network()->rings_.look_again(link); };
  links_.streams().on_sent = [](Link& link) { network()->rings_.streams_went_on(link); };
  links_.on_lost = [](Link& link, const char* why) {
    if (!link.said_bye()) network()->failed(link.process(), why);
  };
  links_.on_connected = [](Links& links) {
    network()
        ->mapping()
        .process_slot(links.process())
        .connections.store(static_cast<std::uint32_t>(links.partners().size()),
                           std::memory_order_relaxed);
  };
}

namespace {

/// At the same address in all processes: a rank that moves may be about to use it.
struct Place {
  alignas(Network) std::byte bytes[sizeof(Network)] = {};
};
constinit Place of_process_itself;

void* place_of_runtime() {
  return (base::Runtime::is_of_process() ? of_process_itself : base::state<Place>()).bytes;
}

}  // namespace

/// Tables have room for those who come.
void Network::join(const space::Mapping& mapping, Spaces spaces, bootstrap::Exchange& exchange,
                   const NetworkOptions& options) {
  const bool comes_later = mapping.process_slot(exchange.process()).is_to_come();
  const std::uint64_t secret = comes_later ? secret_of_job(exchange) : agree_on_secret(exchange);
  const auto processes = static_cast<int>(space::Control::process_slots(mapping.header()));
  Links::Options links{exchange.process(), processes,    secret,
                       options.engine,     options.open, {&service}};
  links.services.insert(links.services.end(), options.services.begin(), options.services.end());
  if (options.find_device) links.engine.device = options.find_device(exchange);
  wait::set_poller(new (place_of_runtime())
                       Network(mapping, std::move(spaces), links, exchange, options));
  Network& joined = *network();
  joined.peers_.report_to(options.say_lost, options.end_job);
  Handshake handshake = joined.handshake([] {});
  joined.book_.publish(joined.links_.services().hash(), joined.links_.engine().address());
  if (!comes_later) {
    exchange.fence();
    if (options.connects_on_demand) {
      const NodeTree tree(mapping, exchange.process());
      if (!exchange.is_in_memory()) joined.book_.keep_for_node(tree.is_first);
      handshake.meet(tree.neighbours(), options);
    } else {
      handshake.meet(joined.peers_.all(), options);
    }
  }
  if (!options.serves) return;
  joined.heartbeat_.start(options.heartbeat_ns, options.beat_ns);
  joined.thread_.start(options.server);
}

Handshake Network::handshake(std::function<void()> watch) {
  return {links_, peers_, map_, book_, [this, watch = std::move(watch)] {
            watch();
            (void)poll();
          }};
}

// UCX 1.13 may end the process when a peer dies to which it is connecting: the time for that is
// shorter if the peer has spoken.
void Network::meet(std::span<const int> others, Comes who, const std::function<void()>& watch) {
  if (others.empty()) return;
  Handshake meeting = handshake(watch);
  if (who == Comes::they) meeting.await_words(others, options_);
  meeting.meet(others, options_);
  const Lock locked(links_.lock());
  for (const int process : others) peers_.add(process);
}

void Network::leave() {
  Network* const leaving = network();
  if (leaving == nullptr) return;
  Farewell farewell(leaving->links_, leaving->peers_, [&] { (void)leaving->poll(); });
  if (leaving->options_.connects_on_demand)
    farewell.agree(NodeTree(leaving->mapping(), leaving->links_.process()));
  farewell.say();
  leaving->thread_.stop();
  tell_refusals(leaving->links_);
  leaving->~Network();
  wait::set_poller(nullptr);
}

void Network::failed(int process, const char* why) {
  const space::Mapping& job = mapping();
  // It, or this one, has left in order, or the job does not have it yet.
  for (const int one : {process, links_.process()})
    if (const space::ProcessSlot& slot = job.process_slot(one);
        slot.has_left() || slot.is_to_come())
      return;
  if (!wait::recovers_on_nodes(job.header())) return peers_.note_failure(process, why);
  // Its ranks are not dead, but go on elsewhere.
  if (!wait::is_lost(job.process_slot(process))) heartbeat_.end_if_given_up();
  wait::lose_process({reinterpret_cast<std::byte*>(&job.header())}, process);
}

void Network::host(Spaces spaces) {
  const Lock locked(links_.lock());
  map_.host(std::move(spaces));
  rings_.reset();
}

void Network::close() {
  const Lock locked(links_.lock());
  (void)look();
  rings_.close_proxies();
}

void Network::forget_ranks() {
  links_.streams().forget_streams_of_ranks();
  for (const transport::Service* const one : links_.services().all())
    if (one->reset != nullptr) one->reset();
}

/// Calls the polls of higher floors, which look at their state when the network is polled. Returns
/// whether they want that again soon. Under the links' lock.
bool Network::look() {
  bool soon = false;
  for (bool (*const look_for)() : polls_) soon = look_for() || soon;
  return soon;
}

/// Under the links' lock.
bool Network::progress() {
  thread_.found_more(look());
  flush_.send_held();
  return links_.progress();
}

bool Network::poll() {
  thread_.polled();
  const Lock locked(links_.lock());
  return progress();
}

bool Network::try_poll() {
  thread_.polled();
  const std::unique_lock locked(links_.lock(), std::try_to_lock);
  return locked.owns_lock() && progress();
}

void Network::doorbell(int rank) {
  const wait::RankContext* const me = wait::current_rank();
  if (me == nullptr || rings_.looks_soon(me->space.me(), rank)) return;
  const Lock locked(links_.lock());
  rings_.look(me->space.me(), rank, false);
}

void Network::start(transport::Stream& stream, int rank, int process, Start how) {
  {
    const Lock locked(links_.lock());
    transport::StreamQueue& streams = links_.to(process).streams();
    streams.begin(stream, rank);
    if (how == Start::now) return (void)streams.push();
  }
  thread_.look_now();
}

}  // namespace armature::net

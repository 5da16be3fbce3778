#include "rmi/inbox.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/valgrind.hpp"
#include "net/network.hpp"
#include "rmi/failure.hpp"
#include "rmi/on_top.hpp"
#include "rmi/request_checksum.hpp"
#include "wait/notifier.hpp"
#include "wait/trace.hpp"
#include "wait/wait.hpp"

namespace armature::rmi {

using detail::RequestHeader;
using detail::RequestKind;
using transport::Channel;

namespace {

/// A stream whose reader is close behind the sender comes so little at a time.
constexpr std::uint64_t few_bytes = 8192;

constexpr std::size_t line_bytes = 64;
constexpr int looks_behind_one = 4;

/// Looks for a two-way call that is deeper than the method on top: only that runs at the limit of
/// nesting. Somebody's method waits for it, and chains of two-way calls are finite, so the deepest
/// always gets done. What stands before such a call must run too.
[[gnu::noinline]] bool leads_deeper(Incoming& in, std::uint64_t published, std::uint8_t depth) {
  for (std::uint64_t at = in.read; static_cast<std::int64_t>(published - at) > 0;) {
    RequestHeader header;
    std::memcpy(&header, in.channel.at(at), sizeof header);
    if (header.units == 0 || (header.is(RequestKind::two_way) && header.depth >= depth))
      return true;
    at += header.units * RequestHeader::unit;
  }
  return false;
}

/// A receiver that reads each line while the sender still writes to it makes both wait for the line
/// to go to and fro. On a machine whose cores are far apart, that is several times as long for each
/// request. So a stream is looked at now and then only.
[[gnu::always_inline]] inline bool is_too_early(Incoming& in) {
  if (in.look_at_ns == 0) [[likely]]
    return false;
  const std::uint64_t now_ns = base::now_ns();
  if (now_ns < in.look_at_ns) return true;
  in.look_at_ns = 0;
  in.lagged_until_ns = now_ns;
  return false;
}

}  // namespace

Inbox::Inbox(EndpointContext& context, Dispatcher& dispatcher, MethodThreads& methods)
    : context_(context),
      space_(context.space),
      dispatcher_(dispatcher),
      methods_(methods),
      may_lag_(!context.has_service && context.rank.scheduler == nullptr &&
               context.rank.fault_model == nullptr && !wait::cores_are_shared()),
      channels_(context.space.slot(context.space.me()).channels) {}

bool Inbox::has_news() const {
  if (channels_.last() != channels_seen_) return true;
  return std::any_of(incoming_.begin(), incoming_.end(), [](const auto& in) {
    return in->channel.published.load(std::memory_order_acquire) != in->read;
  });
}

void Inbox::meet_new_channels() {
  space::SegmentHead& head = space_.head(space_.me());
  const std::uint32_t last = channels_.last();
  const std::uint32_t before = std::exchange(channels_seen_, last);
  for (const int from :
       head.opened_since(last, &space::PeerLine::channel_before, before, space_.ranks())) {
    const std::uint64_t address = head.peer(from).channel.load(std::memory_order_acquire);
    auto* channel = reinterpret_cast<Channel*>(address);
    // The proxy of a channel on another node lies in the own segment.
    ARMATURE_ASSERT(space_.owner(channel) == (space_.is_here(from) ? Rank(from) : space_.me()));
    ARMATURE_ASSERT(channel->magic == Channel::expected_magic);
    ARMATURE_ASSERT(channel->capacity >= Channel::capacity_min &&
                    channel->capacity <= Channel::capacity_max &&
                    (channel->capacity & (channel->capacity - 1)) == 0);
    base::mark_defined(channel->at(0), channel->capacity);
    incoming_.push_back(std::make_unique<Incoming>(from, *channel));
    if (executed_before_ == nullptr) continue;
    if (std::uint64_t* counted = executed_before_->find(static_cast<std::size_t>(from)))
      incoming_.back()->executed = std::exchange(*counted, 0);
  }
}

/// Called after a look that found so much.
void Inbox::note_stream(Incoming& in, const Found& found) {
  const std::uint64_t lagged_until_ns = std::exchange(in.lagged_until_ns, 0);
  const bool lagged = lagged_until_ns != 0;
  if (dispatcher_.has_answered() || waits_for_call(in, found))
    return in.polling.found_waiting_sender(lagged);
  if (!may_lag_ || in.from == space_.me() || (!lagged && found.bytes >= few_bytes)) return;
  const std::uint32_t lag_ns = in.polling.lag_ns(found.requests, lagged);
  // The lag counts from look to look: what took long to execute has been lag enough.
  if (lag_ns != 0) in.look_at_ns = (lagged ? lagged_until_ns : base::now_ns()) + lag_ns;
}

/// Whether the sender seems to wait for a call that its own ones have led to: there was one, and no
/// more of its own have come meanwhile. A few calls and one back are no stream.
bool Inbox::waits_for_call(Incoming& in, const Found& found) {
  return in.polling.lags() && sent_back(in) != found.sent_back_before && look(in) == in.read;
}

/// Requests to the sender, since ever.
std::uint64_t Inbox::sent_back(const Incoming& in) const {
  return context_.sender.to[in.from].sent;
}

/// Up to where requests have come in.
[[gnu::always_inline]] inline std::uint64_t Inbox::look(Incoming& in) {
  // The next request's lines and the word that announces it come at the same time, not one after
  // the other. (A two-way call may begin in the second half of a line.) In a stream the sender is
  // writing there.
  if (!in.polling.lags()) {
    __builtin_prefetch(in.channel.at(in.read));
    __builtin_prefetch(in.channel.at(in.read + line_bytes / 2));
  }
  // Acquire: the requests were written before.
  std::uint64_t published = in.channel.published.load(std::memory_order_acquire);
  if (context_.rank.fault_model != nullptr) [[unlikely]]
    published = context_.rank.fault_model->visible(in.from, space_.me(), published);
  return published;
}

[[gnu::always_inline]] inline void Inbox::require_in_ring(const Incoming& in,
                                                          std::uint64_t published) const {
  if (published - in.read > in.capacity) [[unlikely]]
    corrupt(fmt::format("the channel from rank {} claims {} bytes in a ring of {}", in.from,
                        published - in.read, in.capacity));
}

/// A rank that waits looks each time around, and mostly finds nothing: all else is apart.
[[gnu::always_inline]] inline bool Inbox::receive(Incoming& in) {
  if (is_too_early(in)) return false;
  const std::uint64_t published = look(in);
  return published != in.read && execute_new(in, published);
}

bool Inbox::has_come() {
  constexpr std::size_t channels_max = 4;
  if (channels_.last() != channels_seen_ || incoming_.size() > channels_max) return true;
  return std::any_of(incoming_.begin(), incoming_.end(),
                     [this](const auto& in) { return look(*in) != in->read; });
}

bool Inbox::receive_all() {
  bool found = false;
  // The loop goes by index: a method may wait, and meet a channel that is new.
  for (std::size_t i = 0; i < incoming_.size(); ++i) found |= receive(*incoming_[i]);
  return found;
}

/// Executes what was there when we looked, and no more: others have their turn. Returns whether it
/// could.
[[gnu::noinline]] bool Inbox::execute_new(Incoming& in, std::uint64_t published) {
  // Nobody polls the network while a method computes.
  if (net::Network* const net = net::network()) net->thread().resume();
  // An observer from outside must not take a method that never returns for a wait.
  std::optional<wait::WaitInterrupted> interrupted;
  if (space_.slot(space_.me()).wait.awaiting.load(std::memory_order_relaxed) !=
          space::Awaiting::nothing &&
      !context_.has_service) [[unlikely]]
    interrupted.emplace(context_.rank);
  const std::uint64_t read = in.read, executed = in.executed;
  // Asked for only where the reader lags.
  const std::uint64_t sent_back_before = in.polling.lags() ? sent_back(in) : 0;
  dispatcher_.begin_round();
  {
    const OnTop on_top(context_, dispatcher_.objects());
    const Receives receives(receiving_, in);
    require_in_ring(in, published);
    execute_until(published, in, on_top.depth);
    // A lone one-way call often has a two-way call right behind it, whose caller waits: to find it
    // here takes less time than to leave and to come back. A rank that waits for one call leaves.
    for (int i = leaves_soon_ ? looks_behind_one : 0;
         i < looks_behind_one && in.executed - executed == 1 && !dispatcher_.has_answered(); ++i) {
      const std::uint64_t behind = look(in);
      require_in_ring(in, behind);
      execute_until(behind, in, on_top.depth);
    }
  }
  note_stream(in, {.requests = in.executed - executed,
                   .bytes = in.read - read,
                   .sent_back_before = sent_back_before});
  context_.made_progress();
  release(in);
  return in.read != read;
}

void Inbox::execute_until(std::uint64_t published, Incoming& in, std::uint8_t depth) {
  const std::uint64_t capacity = in.capacity;
  std::byte* const ring = in.channel.at(0);
  const auto may_nest = [&] {
    return context_.sender.level <= static_cast<int>(context_.settings.nesting_max) ||
           leads_deeper(in, published, depth);
  };
  // A method that waited may have got further than we had seen, hence signed.
  while (static_cast<std::int64_t>(published - in.read) > 0 && may_nest()) {
    const std::uint64_t left = published - in.read;
    const std::uint64_t offset = in.read & (capacity - 1);
    const std::byte* const at = ring + offset;
    RequestHeader header;
    std::memcpy(&header, at, sizeof header);
    // The next request's beginning is known only when this one's head is here; the lines behind it
    // come meanwhile. Nothing further than what is published is read: the sender is writing there.
    if (left > Incoming::ahead_bytes)
      __builtin_prefetch(ring + ((offset + Incoming::ahead_bytes) & (capacity - 1)));
    const std::size_t bytes = header.units * RequestHeader::unit;
    const std::uint64_t room = std::min(left, capacity - offset);
    if (bytes - 1 >= room) [[unlikely]]
      corrupt(fmt::format("a request from rank {} of {} bytes, where {} have come", in.from, bytes,
                          left));
    const auto kind = static_cast<RequestKind>(header.kind);
    if (context_.checksum_bytes != 0 && kind != RequestKind::filler) {
      check_request(in.from, {at, bytes});
      *context_.called_at = RequestChecksum::of({at, bytes}).called_at;
    }
    in.read += bytes;
    std::uint64_t repeat_until = in.read - bytes + std::min(room, capacity / 4);
    if (wait::traces() && kind != RequestKind::filler) [[unlikely]] {
      // A rank of a checkpoint may have begun in a job that was not traced, or is over.
      const std::uint64_t job = space_.header().started_ns;
      if (traced_ == nullptr || !traced_->are_of(job)) traced_ = std::make_unique<TracedCalls>(job);
      traced_->begins(in, space_.me(), header, {at, bytes});
      repeat_until = 0;  // each is to be seen here
    }
    if (kind == RequestKind::repeated_header || kind == RequestKind::full_header) [[likely]]
      dispatcher_.repeat(in, header, at, repeat_until);
    else if (kind != RequestKind::filler)
      dispatcher_.execute(in, header, at);
    if (in.read - in.released >= capacity / 4) release(in);
  }
}

/// Tells the sender what it may write over.
void Inbox::release(Incoming& in) {
  if (in.released == in.read) return;
  if (in.held != nullptr && (in.read - in.released < in.capacity / 4 || !HeldSlot::tell(in.held)))
    return;
  in.released = in.read;
  // Release: our last look at these bytes comes before the sender writes there again.
  in.channel.consumed.store(in.read, std::memory_order_release);
  wait::notify(space_.slot(in.from));
}

bool Inbox::receive_from(int rank) {
  for (std::size_t i = 0; i < incoming_.size(); ++i) {
    Incoming& in = *incoming_[i];
    if (in.from != rank) continue;
    return receive(in);
  }
  return false;
}

bool Inbox::receive_next() {
  for (std::size_t tried = 0; tried < incoming_.size(); ++tried) {
    if (receive(*incoming_[next_++ % incoming_.size()])) return true;
  }
  return false;
}

void Inbox::run_all_queued() {
  Objects& objects = dispatcher_.objects();
  if (methods_.answer_rest()) objects.users_have_changed();
  if (context_.in_method()) return;
  while (auto task = methods_.take_back()) {
    {
      const OnTop on_top(context_, objects);
      context_.sender.depth = task->depth;
      objects.runs(task->call.object);
      methods_.run_here(std::move(task));
    }
    objects.users_have_changed();
    context_.made_progress();
  }
}

void Inbox::stop_lagging() {
  for (const auto& in : incoming_) in->look_at_ns = 0;
}

std::uint64_t Inbox::executed(int from) const {
  for (const auto& in : incoming_)
    if (in->from == from) return in->executed - methods_.under_way(from);
  if (executed_before_ == nullptr) return 0;
  const std::uint64_t* const before = executed_before_->find(static_cast<std::size_t>(from));
  return before != nullptr ? *before : 0;
}

std::uint64_t Inbox::executed() const {
  std::uint64_t sum = 0;
  for (const auto& in : incoming_) sum += in->executed;
  sum -= methods_.under_way();
  if (executed_before_ == nullptr) return sum;
  for (const int from : executed_before_->indices())
    sum += *executed_before_->find(static_cast<std::size_t>(from));
  return sum;
}

void Inbox::forget_channels() {
  if (executed_before_ == nullptr)
    executed_before_ = std::make_unique<base::SparseTable<std::uint64_t>>();
  for (const auto& in : incoming_) {
    ARMATURE_ASSERT(in->held == nullptr && in->channel.published.load() == in->read);
    (*executed_before_)[static_cast<std::size_t>(in->from)] = in->executed;
    space_.head(space_.me()).peer(in->from).channel.store(0, std::memory_order_relaxed);
  }
  incoming_.clear();
  channels_seen_ = 0;
  space_.slot(space_.me()).channels.restore(0);
}

}  // namespace armature::rmi

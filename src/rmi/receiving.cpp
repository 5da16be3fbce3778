// Requests that have come in: when to look for them, and where one ends and the next begins.
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "armature/future.hpp"
#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/valgrind.hpp"
#include "net/network.hpp"
#include "rmi/endpoint.hpp"
#include "rmi/failure.hpp"
#include "rmi/seal.hpp"
#include "wait/bell.hpp"
#include "wait/trace.hpp"
#include "wait/wait.hpp"

namespace armature::rmi {

using detail::RequestHeader;
using detail::RequestKind;
using transport::Channel;

namespace {

/// So little at a time is a stream whose reader is close behind the sender, if it is one.
constexpr std::uint64_t few_bytes = 8192;

constexpr std::size_t line_bytes = 64;
constexpr int looks_behind_one = 4;

}  // namespace

void Endpoint::find_new_channels() {
  space::BandHead& head = space_.head(space_.me());
  const std::uint32_t last = channels_.last();
  const std::uint32_t before = std::exchange(channels_seen_, last);
  for (const int from :
       head.opened_since(last, &space::PeerLine::channel_before, before, space_.ranks())) {
    const std::uint64_t address = head.peer(from).channel.load(std::memory_order_acquire);
    auto* channel = reinterpret_cast<Channel*>(address);
    // An image of a channel on another node lies in the own band.
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

bool Endpoint::has_work() {
  const Use in_use = use();
  return has_work_now();
}

bool Endpoint::has_work_now() {
  if (channels_.last() != channels_seen_) return true;
  for (const auto& in : incoming_)
    if (in->channel.published.load(std::memory_order_acquire) != in->read) return true;
  if ((!publishes_directly() || !overflowing_.empty()) && has_to_send()) return true;
  if (fences_.are_under_way() && fences_.can_advance()) return true;
  if (!due_.empty()) return true;
  return !watched_.empty() && std::any_of(watched_.begin(), watched_.end(),
                                          [](const auto& future) { return future->poll(); });
}

void Endpoint::deliver() {
  if (!has_service()) [[likely]]
    return execute_all();
  const Use in_use(mutex_, std::try_to_lock);
  if (in_use.owns_lock()) execute_all();
}

void Endpoint::poll() {
  {
    const Use in_use = use();
    for (const auto& in : incoming_) in->look_at_ns = 0;
  }
  deliver();
}

void Endpoint::execute_all() {
  ++turns_;
  flush();
  for (std::size_t i = overflowing_.size(); i-- > 0;)
    if (i < overflowing_.size()) drain_overflow(overflowing_[i]);
  if (sender_.level > 0 && unpacked_block_ != nullptr)
    Blocks::mark_done(std::exchange(unpacked_block_, nullptr));
  if (channels_.last() != channels_seen_) [[unlikely]]
    find_new_channels();
  if (sender_.level == 0 && must_hold_back()) [[unlikely]]
    return take_in_a_slice();
  // By index: a method may wait, and meet a channel that is new.
  for (std::size_t i = 0; i < incoming_.size(); ++i) receive(*incoming_[i]);
  if (!due_.empty() || !watched_.empty()) settle_watched();
  fences_.advance();
}

/// At the limit of nesting only a question runs that is deeper than the method on top: somebody's
/// method waits for it, and chains of questions are finite, so the deepest always gets done. What
/// stands before such a question must run too.
[[gnu::always_inline]] inline bool Endpoint::may_nest(Incoming& in, std::uint64_t published,
                                                      std::uint8_t depth) {
  return sender_.level <= static_cast<int>(settings_.nesting_max) ||
         leads_deeper(in, published, depth);
}

[[gnu::noinline]] bool Endpoint::leads_deeper(Incoming& in, std::uint64_t published,
                                              std::uint8_t depth) {
  for (std::uint64_t at = in.read; static_cast<std::int64_t>(published - at) > 0;) {
    RequestHeader header;
    std::memcpy(&header, in.channel.at(at), sizeof header);
    if (header.units == 0 || (header.is(RequestKind::question) && header.depth >= depth))
      return true;
    at += header.units * RequestHeader::unit;
  }
  return false;
}

/// Whoever reads each line while the sender still writes to it makes both wait for the line to go
/// to and fro: on a machine whose cores are far apart, several times as long for each statement. So
/// a stream is looked at now and then only.
[[gnu::always_inline]] inline bool Endpoint::is_too_early(Incoming& in) {
  if (in.look_at_ns == 0) [[likely]]
    return false;
  const std::uint64_t now_ns = base::now_ns();
  if (now_ns < in.look_at_ns) return true;
  in.look_at_ns = 0;
  in.lagged_until_ns = now_ns;
  return false;
}

/// After a look that found so much.
void Endpoint::note_stream(Incoming& in, const Found& found) {
  const std::uint64_t lagged_until_ns = std::exchange(in.lagged_until_ns, 0);
  const bool lagged = lagged_until_ns != 0;
  if (answered_) return in.stream.was_asked(lagged);
  if (!may_lag_ || in.from == space_.me() || (!lagged && found.bytes >= few_bytes)) return;
  const std::uint32_t lag_ns = in.stream.lag_ns(found.statements, lagged);
  // From look to look: what took long to execute has been lag enough.
  if (lag_ns != 0) in.look_at_ns = (lagged ? lagged_until_ns : base::now_ns()) + lag_ns;
}

/// Up to where requests have come in.
[[gnu::always_inline]] inline std::uint64_t Endpoint::look(Incoming& in) {
  // The next request's lines (a question may begin in the second half of one) and the word that
  // announces it come at the same time, not one after the other. In a stream the sender is writing
  // there.
  if (!in.stream.is_known()) {
    __builtin_prefetch(in.channel.at(in.read));
    __builtin_prefetch(in.channel.at(in.read + line_bytes / 2));
  }
  // Acquire: the requests were written before.
  std::uint64_t published = in.channel.published.load(std::memory_order_acquire);
  if (context_.weather != nullptr) [[unlikely]]
    published = context_.weather->visible(in.from, space_.me(), published);
  if (published - in.read > in.capacity) [[unlikely]]
    corrupt(fmt::format("the channel from rank {} claims {} bytes in a ring of {}", in.from,
                        published - in.read, in.capacity));
  return published;
}

/// Methods that run on top of the one that waits, if there is one: when they are done all is as it
/// was for that one, however they end.
class Endpoint::OnTop {
 public:
  explicit OnTop(Endpoint& endpoint)
      : depth(endpoint.sender_.depth), endpoint_(endpoint), waits_(endpoint.objects_) {
    ++endpoint_.sender_.level;
  }
  OnTop(const OnTop&) = delete;
  OnTop& operator=(const OnTop&) = delete;
  ~OnTop() {
    --endpoint_.sender_.level;
    endpoint_.sender_.depth = depth;
  }

  const std::uint8_t depth;  // of the one that waits

 private:
  Endpoint& endpoint_;
  const Objects::Waits waits_;
};

/// Executes what was there when we looked, and no more: others have their turn.
void Endpoint::receive(Incoming& in) {
  if (is_too_early(in)) return;
  const std::uint64_t published = look(in);
  if (published == in.read) return;
  // Nobody polls the network while a method computes.
  if (net::Network* const net = net::network()) net->hear_again();
  // Who looks from outside must not take a method that never returns for a wait.
  std::optional<wait::WaitInterrupted> interrupted;
  if (space_.slot(space_.me()).wait.awaiting.load(std::memory_order_relaxed) !=
          space::Awaiting::nothing &&
      !has_service()) [[unlikely]]
    interrupted.emplace(context_);
  const std::uint64_t read = in.read, executed = in.executed;
  answered_ = false;
  {
    const OnTop on_top(*this);
    execute_until(published, in, on_top.depth);
    // A lone statement often has a question right behind it, whose asker waits: to find it here
    // takes less time than to leave and to come back.
    for (int i = 0; i < looks_behind_one && in.executed - executed == 1 && !answered_; ++i)
      execute_until(look(in), in, on_top.depth);
  }
  note_stream(in, {.statements = in.executed - executed, .bytes = in.read - read});
  got_on();
  release(in);
}

void Endpoint::execute_until(std::uint64_t published, Incoming& in, std::uint8_t depth) {
  const std::uint64_t capacity = in.capacity;
  std::byte* const ring = in.channel.at(0);
  // A method that waited may have got further than we had seen, hence signed.
  while (static_cast<std::int64_t>(published - in.read) > 0 && may_nest(in, published, depth)) {
    const std::uint64_t left = published - in.read;
    const std::uint64_t offset = in.read & (capacity - 1);
    const std::byte* const at = ring + offset;
    RequestHeader header;
    std::memcpy(&header, at, sizeof header);
    // Where the next request begins is known only when this one's head is here; the lines behind it
    // come meanwhile. No further than what is published: the sender is writing there.
    if (left > ahead_bytes) __builtin_prefetch(ring + ((offset + ahead_bytes) & (capacity - 1)));
    const std::size_t bytes = header.units * RequestHeader::unit;
    const std::uint64_t room = std::min(left, capacity - offset);
    if (bytes - 1 >= room) [[unlikely]]
      corrupt(fmt::format("a request from rank {} of {} bytes, where {} have come", in.from, bytes,
                          left));
    const auto kind = static_cast<RequestKind>(header.kind);
    if (seal_bytes_ != 0 && kind != RequestKind::filler) check_seal(in.from, {at, bytes});
    in.read += bytes;
    std::uint64_t repeat_until = in.read - bytes + std::min(room, capacity / 4);
    if (traces_ && kind != RequestKind::filler) [[unlikely]] {
      trace_begin(in);
      repeat_until = 0;  // each is to be seen here
    }
    if (kind == RequestKind::again || kind == RequestKind::first) [[likely]]
      repeat(in, header, at, repeat_until);
    else if (kind != RequestKind::filler)
      execute(in, header, at);
    if (in.read - in.released >= capacity / 4) release(in);
  }
}

void Endpoint::trace_begin(Incoming& in) {
  wait::trace({.kind = wait::TraceEvent::Kind::executed,
               .rank = space_.me(),
               .other = in.from,
               .begin_ns = base::now_ns(),
               .number = ++in.begun});
}

/// Tells the sender what it may write over.
void Endpoint::release(Incoming& in) {
  if (in.released == in.read) return;
  if (in.pin != nullptr && (in.read - in.released < in.capacity / 4 || !Pin::tell(in.pin))) return;
  in.released = in.read;
  // Release: our last look at these bytes comes before the sender writes there again.
  in.channel.consumed.store(in.read, std::memory_order_release);
  wait::ring(space_.slot(in.from));
}

void Endpoint::run_due() {
  // One that waits lets others be run behind it.
  while (!due_.empty()) {
    const auto future = std::move(due_.front());
    due_.pop_front();
    future->run_continuations();
  }
}

void Endpoint::settle_watched() {
  run_due();
  if (watched_.empty()) return;
  // A look costs time for each: where they are many, a rank that polls all the time spends a fifth
  // of it on that. A fence looks at all, as what has been answered is part of it.
  constexpr std::size_t few = 64;
  constexpr std::uint64_t pause_max_ns = 5'000'000;
  const bool takes_long =
      watched_.size() > few && context_.weather == nullptr && !fences_.are_under_way();
  const std::uint64_t began_ns = takes_long ? base::now_ns() : 0;
  // What is further ahead is of another machine's clock.
  if (takes_long && look_at_watched_ns_ > began_ns &&
      look_at_watched_ns_ - began_ns <= pause_max_ns)
    return;
  // Continuations may watch others, and wait: what is settled leaves the list first. And they
  // settle others.
  std::vector<std::shared_ptr<detail::FutureBase>> settled;
  do {
    settled.clear();
    std::erase_if(watched_, [&](const auto& future) {
      if (!future->poll() && !is_lost(*future)) return false;
      settled.push_back(future);
      return true;
    });
    if (takes_long) {
      const std::uint64_t now_ns = base::now_ns();
      look_at_watched_ns_ = now_ns + std::min(4 * (now_ns - began_ns), pause_max_ns);
    }
    for (const auto& future : settled) future->run_continuations();
    run_due();
  } while (!settled.empty() && !takes_long);
}

bool Endpoint::is_lost(detail::FutureBase& future) {
  if (space_.header().on_death != space::OnDeath::go_on ||
      space_.header().deaths.load(std::memory_order_acquire) == 0)
    return false;
  const int rank = future.awaited();
  if (rank < 0 || space_.slot(rank).life.load(std::memory_order_acquire) != space::Life::dead)
    return false;
  if (future.poll()) return true;  // the last that it did
  try {
    base::fail(Errc::rank_lost, fmt::format("a future: rank {} has died", rank));
  } catch (...) {
    future.fail(std::current_exception());
  }
  return true;
}

}  // namespace armature::rmi

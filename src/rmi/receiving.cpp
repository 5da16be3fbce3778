// Requests that have come in: checked, executed where they lie, answered.
#include <cxxabi.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "armature/future.hpp"
#include "base/fail.hpp"
#include "progress/bell.hpp"
#include "progress/wait.hpp"
#include "rmi/endpoint.hpp"
#include "rmi/failure.hpp"
#include "rmi/far_replies.hpp"
#include "rmi/seal.hpp"

namespace armature::rmi {

using detail::Call;
using detail::LongArguments;
using detail::Method;
using detail::Reply;
using detail::RequestHeader;
using detail::RequestKind;
using transport::Channel;

namespace {

constexpr std::size_t ahead_bytes = 1536;
/// So little at a time is a stream whose reader is close behind the sender, if it is one.
constexpr std::uint64_t few_bytes = 8192;

bool is_question(const RequestHeader& header) {
  return (header.kind & RequestHeader::kind_mask) ==
         static_cast<std::uint8_t>(RequestKind::question);
}

}  // namespace

void Endpoint::find_channels() {
  space::BandHead& head = space_.head(space_.me());
  const std::uint32_t last = head.channels.last();
  if (last == channels_seen_) [[likely]]
    return;
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
    incoming_.emplace_back(from, *channel);
  }
}

bool Endpoint::has_work() {
  const Use in_use = use();
  return has_work_now();
}

bool Endpoint::has_work_now() {
  if (space_.head(space_.me()).channels.last() != channels_seen_) return true;
  return std::any_of(incoming_.begin(), incoming_.end(),
                     [](const Incoming& in) {
                       return in.channel.published.load(std::memory_order_acquire) != in.read;
                     }) ||
         has_to_send() || fences_.can_advance() ||
         std::any_of(watched_.begin(), watched_.end(),
                     [](const auto& future) { return future->poll(); });
}

void Endpoint::deliver() {
  if (!has_service()) [[likely]]
    return execute_all();
  const Use in_use(mutex_, std::try_to_lock);
  if (in_use.owns_lock()) execute_all();
}

void Endpoint::execute_all() {
  context_.lag_ns = 0;
  ++turns_;
  flush();
  for (std::size_t i = overflowing_.size(); i-- > 0;)
    if (i < overflowing_.size()) drain_overflow(overflowing_[i]);
  if (level_ > 0 && unpacked_block_ != nullptr)
    Blocks::mark_done(std::exchange(unpacked_block_, nullptr));
  find_channels();
  if (level_ == 0 && must_hold_back()) [[unlikely]]
    return take_in_a_slice();
  // By index: a method may wait, and meet a channel that is new.
  for (std::size_t i = 0; i < incoming_.size(); ++i) receive(incoming_[i]);
  if (!watched_.empty()) settle_watched();
  fences_.advance();
  context_.lagged = false;
}

/// At the limit of nesting only a question runs that is deeper than the method on top: somebody's
/// method waits for it, and chains of questions are finite, so the deepest always gets done. What
/// stands before such a question must run too.
[[gnu::always_inline]] inline bool Endpoint::may_nest(Incoming& in, std::uint64_t published,
                                                      std::uint8_t depth) {
  return level_ <= static_cast<int>(settings_.nesting_max) || leads_deeper(in, published, depth);
}

[[gnu::noinline]] bool Endpoint::leads_deeper(Incoming& in, std::uint64_t published,
                                              std::uint8_t depth) {
  for (std::uint64_t at = in.read; static_cast<std::int64_t>(published - at) > 0;) {
    RequestHeader header;
    std::memcpy(&header, in.channel.at(at), sizeof header);
    if (header.units == 0 || (is_question(header) && header.depth >= depth)) return true;
    at += header.units * RequestHeader::unit;
  }
  return false;
}

/// Whatever a method throws is its caller's.
template <class F>
void Endpoint::guarded(Call& call, F&& f) {
  try {
    f();
  } catch (const abi::__forced_unwind&) {
    throw;  // the thread is being cancelled
  } catch (const Error& error) {
    failed(call, error.code(), error.what(), true);
  } catch (const std::exception& error) {
    failed(call, Errc::remote, error.what(), true);
  } catch (...) {
    failed(call, Errc::remote, "an exception that is no std::exception", true);
  }
}

/// The method of a request and, in `call`, its object; nullptr when that is gone, which its caller
/// has been told then.
const Method* Endpoint::find(Call& call, const RequestHeader& header) {
  const std::uint64_t token =
      (static_cast<std::uint64_t>(header.module) << 32) | header.method_offset;
  const Method& what = token == last_token_ ? *last_method_ : method(token);
  if (header.object != RequestHeader::function) {
    call.object = objects_.find({header.object, header.generation});
    if (call.object == nullptr) [[unlikely]] {
      gone(call, header);
      return nullptr;
    }
  }
  return &what;
}

void Endpoint::run(Incoming& in, Call& call, const RequestHeader& header) {
  guarded(call, [&] {
    const Method* what = find(call, header);
    if (what == nullptr) return;
    what->looks_into_message ? run_pinned(in, call, header, *what) : what->run(call);
  });
}

/// The message stays while the method runs, though it waits.
void Endpoint::run_pinned(Incoming& in, Call& call, const RequestHeader& header,
                          const Method& what) {
  struct Kept {
    std::byte*& slot;
    std::byte* const block;
    ~Kept() { slot = block; }
  } const kept{unpacked_block_, std::exchange(unpacked_block_, nullptr)};
  const Pin pin(in.pin, in.channel, in.read - header.units * RequestHeader::unit,
                kept.block == nullptr ? header.units : std::uint16_t{0});
  what.run(call);
}

namespace {

struct Head {
  std::uint64_t words[2];
  explicit Head(const void* at) { std::memcpy(words, at, sizeof words); }
  bool operator==(const Head&) const = default;
};
static_assert(sizeof(Head) == sizeof(RequestHeader));

}  // namespace

/// Where many calls are made, one often differs from the one before in its arguments alone: what
/// was found out for the first holds for all that have the same head and end before `stop`.
void Endpoint::call_alike(Incoming& in, const RequestHeader& header, const std::byte* at,
                          std::uint64_t stop) {
  const std::size_t bytes = header.units * RequestHeader::unit;
  const Head head(&header);
  Call call;
  call.from = Rank(in.from);
  call.start = at;
  call.arguments = at + sizeof header;
  call.end = at + bytes;
  sender_.depth = 0;  // nobody waits for it: what it asks begins a chain
  guarded(call, [&] {
    const Method* const what = find(call, header);
    if (what == nullptr) return;
    if (what->looks_into_message) return run_pinned(in, call, header, *what);
    const std::uint32_t changes = objects_.changes();
    for (std::uint64_t next = in.read;;) {
      what->run(call);
      call.start += bytes;
      next += bytes;
      // A method that waited has let others in, and may have got further; one may end the object.
      if (next > stop || in.read != next - bytes || !(Head(call.start) == head) ||
          objects_.changes() != changes)
        return;
      // Counted when it is over: what it sent has been counted before.
      ++in.executed;
      in.read = next;
      call.arguments = call.start + sizeof header;
      call.end = call.start + bytes;
      __builtin_prefetch(call.start + ahead_bytes);
    }
  });
  ++in.executed;
}

/// Executes what was there when we looked, and no more: others have their turn.
void Endpoint::receive(Incoming& in) {
  // The next request's line and the word that announces it come at the same time, not one after the
  // other.
  __builtin_prefetch(in.channel.at(in.read));
  // Acquire: the requests were written before.
  std::uint64_t published = in.channel.published.load(std::memory_order_acquire);
  if (context_.weather != nullptr) [[unlikely]]
    published = context_.weather->visible(in.from, space_.me(), published);
  if (published == in.read) return;
  if (published - in.read > in.capacity)
    corrupt(fmt::format("the channel from rank {} claims {} bytes in a ring of {}", in.from,
                        published - in.read, in.capacity));
  // Who looks from outside must not take a method that never returns for a wait.
  std::optional<progress::WaitInterrupted> interrupted;
  space::WaitRecord& record = space_.slot(space_.me()).wait;
  if (record.awaiting.load(std::memory_order_relaxed) != space::Awaiting::nothing && !has_service())
      [[unlikely]]
    interrupted.emplace(record);
  const std::uint8_t depth = sender_.depth;
  const std::uint64_t read = in.read, executed = in.executed;
  answered_ = false;
  ++level_;
  execute_until(published, in, depth);
  --level_;
  if (answered_)
    in.stream.was_asked(context_.lagged);
  else if (in.read - read < few_bytes && !has_service())
    context_.lag_ns =
        std::max(context_.lag_ns, in.stream.lag_ns(in.executed - executed, context_.lagged));
  sender_.depth = depth;
  context_.done.fetch_add(1, std::memory_order_relaxed);
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
    const bool is_filler = header.kind == static_cast<std::uint8_t>(RequestKind::filler);
    if (seal_bytes_ != 0 && !is_filler) check_seal(in.from, {at, bytes});
    in.read += bytes;
    if (header.kind == static_cast<std::uint8_t>(RequestKind::call) && seal_bytes_ == 0) [[likely]]
      call_alike(in, header, at, in.read - bytes + std::min(room, capacity / 4));
    else if (!is_filler)
      execute(in, header, at);
    if (in.read - in.released >= capacity / 4) release(in);
  }
}

/// Tells the sender what it may write over.
void Endpoint::release(Incoming& in) {
  if (in.released == in.read) return;
  if (in.pin != nullptr && (in.read - in.released < in.capacity / 4 || !Pin::tell(in.pin))) return;
  in.released = in.read;
  // Release: our last look at these bytes comes before the sender writes there again.
  in.channel.consumed.store(in.read, std::memory_order_release);
  progress::ring(space_.slot(in.from));
}

const Method& Endpoint::method(std::uint64_t token) {
  const auto* found = static_cast<const Method*>(detail::from_token(token));
  if (reinterpret_cast<std::uintptr_t>(found) % alignof(Method) != 0 ||
      found->magic != Method::expected_magic)
    corrupt(fmt::format("a request names a method by {:#x}, where there is none", token));
  last_token_ = token;
  last_method_ = found;
  return *found;
}

std::byte* Endpoint::locate(Call& call, const RequestHeader& header, const std::byte* at) {
  const int from = call.from;
  const bool is_long = (header.kind & RequestHeader::is_long) != 0;
  const std::size_t head = sizeof header + (is_question(header) ? sizeof call.reply : 0);
  const int kind = header.kind & RequestHeader::kind_mask;
  if ((header.kind & ~(RequestHeader::kind_mask | RequestHeader::is_long)) != 0 ||
      (kind != static_cast<int>(RequestKind::call) && !is_question(header)) ||
      head + (is_long ? sizeof(LongArguments) : 0) > static_cast<std::size_t>(call.end - at))
    corrupt(fmt::format("a request from rank {} of kind {:#x} and {} bytes", from, header.kind,
                        call.end - at));
  if (is_question(header)) {
    std::memcpy(&call.reply, at + sizeof header, sizeof call.reply);
    if (space_.owner(call.reply) != Rank(from) ||
        reinterpret_cast<std::uintptr_t>(call.reply) % alignof(Reply) != 0)
      corrupt(fmt::format(
          "a question from rank {} names a place for the answer that is not its own", from));
  }
  call.arguments = at + head;
  if (!is_long) return nullptr;
  const LongArguments where = *long_arguments(header, at);
  auto* block = reinterpret_cast<std::byte*>(where.block);
  if (where.bytes < head || !Blocks::may_be(space_, block, where.bytes, from))
    corrupt(
        fmt::format("a request from rank {} has arguments that do not lie in its memory", from));
  if (!space_.is_here(from)) block = fetch_block(space_, blocks_, from, block, where.bytes);
  call.start = block;
  call.end = block + where.bytes;
  call.arguments = call.start + head;
  return block;
}

/// The rarer kinds.
void Endpoint::execute(Incoming& in, const RequestHeader& header, const std::byte* at) {
  Call call;
  call.from = Rank(in.from);
  call.start = at;
  call.end = at + header.units * RequestHeader::unit - seal_bytes_;
  std::byte* const block = locate(call, header, at);
  if (seal_bytes_ != 0 && block != nullptr)
    check_seal_of_block(call, {at, header.units * RequestHeader::unit});
  StandIn stand_in;
  if (call.reply != nullptr && !space_.is_here(in.from)) {
    stand_in.asked_for = call.reply;
    call.reply = &stand_in.reply;
  }
  sender_.depth = static_cast<std::uint8_t>(call.reply != nullptr ? header.depth + 1 : 0);
  answered_ = answered_ || call.reply != nullptr;
  // A method that waits needs its message no more, unless it has views of it.
  ARMATURE_ASSERT(unpacked_block_ == nullptr);  // whoever waits below has given it back
  unpacked_block_ = block;
  run(in, call, header);
  if (unpacked_block_ != nullptr) Blocks::mark_done(std::exchange(unpacked_block_, nullptr));
  ++in.executed;
}

void Endpoint::settle_watched() {
  const bool some_died = space_.header().on_death == space::OnDeath::go_on &&
                         space_.header().deaths.load(std::memory_order_acquire) != 0;
  // Continuations may watch others, and wait: what is settled leaves the list first.
  std::vector<std::shared_ptr<detail::FutureBase>> settled;
  std::erase_if(watched_, [&](const auto& future) {
    if (!future->poll() && !(some_died && is_lost(*future))) return false;
    settled.push_back(future);
    return true;
  });
  for (const auto& future : settled) future->run_continuations();
}

/// Settles it when the rank that it waits for has died.
bool Endpoint::is_lost(detail::FutureBase& future) {
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

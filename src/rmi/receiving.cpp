// Requests that have come in: checked, executed where they lie, answered.
#include <cxxabi.h>

#include <algorithm>
#include <cstring>
#include <exception>

#include <fmt/format.h>

#include "armature/future.hpp"
#include "base/fail.hpp"
#include "progress/bell.hpp"
#include "rmi/endpoint.hpp"
#include "rmi/failure.hpp"

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

bool is_question(const RequestHeader& header) {
  return (header.kind & RequestHeader::kind_mask) ==
         static_cast<std::uint8_t>(RequestKind::question);
}

}  // namespace

void Endpoint::find_channels() {
  space::BandHead& head = space_.head(space_.me());
  const std::uint32_t opened = head.channels.load(std::memory_order_acquire);
  if (opened == channels_seen_) return;
  channels_seen_ = opened;
  for (int from = 0; from < space_.ranks(); ++from) {
    const std::uint64_t address = head.peer(from).channel.load(std::memory_order_acquire);
    const bool known = std::any_of(incoming_.begin(), incoming_.end(),
                                   [&](const Incoming& in) { return in.from == from; });
    if (address == 0 || known) continue;
    auto* channel = reinterpret_cast<Channel*>(address);
    ARMATURE_ASSERT(space_.owner(channel) == Rank(from));
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
  if (space_.head(space_.me()).channels.load(std::memory_order_acquire) != channels_seen_)
    return true;
  return std::any_of(incoming_.begin(), incoming_.end(), [](const Incoming& in) {
    return in.channel.published.load(std::memory_order_acquire) != in.read;
  });
}

void Endpoint::deliver() {
  if (!has_service()) [[likely]]
    return execute_all();
  const Use in_use(mutex_, std::try_to_lock);
  if (in_use.owns_lock()) execute_all();
}

void Endpoint::execute_all() {
  flush();
  for (std::size_t i = overflowing_.size(); i-- > 0;)
    if (i < overflowing_.size()) drain_overflow(overflowing_[i]);
  find_channels();
  // By index: a method may wait, and meet a channel that is new.
  for (std::size_t i = 0; i < incoming_.size(); ++i) receive(incoming_[i]);
  if (!watched_.empty()) settle_watched();
  fences_.advance();
}

/// At the limit of nesting only a question runs that is deeper than the method on top: somebody's
/// method waits for it, and chains of questions are finite, so the deepest always gets done.
[[gnu::always_inline]] inline bool Endpoint::may_nest(Incoming& in) {
  if (level_ <= static_cast<int>(settings_.nesting_max)) [[likely]]
    return true;
  RequestHeader header;
  std::memcpy(&header, in.channel.at(in.read), sizeof header);
  return is_question(header) && header.depth >= sender_.depth;
}

void Endpoint::run(Call& call, const RequestHeader& header) {
  try {
    const std::uint64_t token =
        (static_cast<std::uint64_t>(header.module) << 32) | header.method_offset;
    const Method& what = token == last_token_ ? *last_method_ : method(token);
    if (header.object != RequestHeader::function) {
      call.object = objects_.find({header.object, header.generation});
      if (call.object == nullptr) [[unlikely]]
        return gone(call, header);
    }
    what.run(call);
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
  sender_.depth = header.depth;
  std::uint64_t next = in.read;
  for (;;) {
    call.start = at;
    call.arguments = at + sizeof header;
    call.end = at + bytes;
    run(call, header);
    // Counted when it is over: what it sent has been counted before.
    ++in.executed;
    at += bytes;
    next += bytes;
    // A method that waited has let others in, and may have got further.
    if (next > stop || in.read != next - bytes || !(Head(at) == head)) return;
    __builtin_prefetch(at + ahead_bytes);
    in.read = next;
  }
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
  const std::uint8_t depth = sender_.depth;
  // What is executed here may lie in the ring until it is over.
  ++in.in_use;
  ++level_;
  execute_until(published, in);
  --level_;
  --in.in_use;
  sender_.depth = depth;
  context_.done.fetch_add(1, std::memory_order_relaxed);
  release(in);
}

void Endpoint::execute_until(std::uint64_t published, Incoming& in) {
  const std::uint64_t capacity = in.capacity;
  std::byte* const ring = in.channel.at(0);
  // A method that waited may have got further than we had seen, hence signed.
  while (static_cast<std::int64_t>(published - in.read) > 0 && may_nest(in)) {
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
    in.read += bytes;
    if (header.kind == static_cast<std::uint8_t>(RequestKind::call)) [[likely]]
      call_alike(in, header, at, in.read - bytes + std::min(room, capacity / 4));
    else if (header.kind != static_cast<std::uint8_t>(RequestKind::filler))
      execute(in, header, at);
    if (in.read - in.released >= capacity / 4 && in.in_use == 1) {
      in.in_use = 0;
      release(in);
      in.in_use = 1;
    }
  }
}

/// Tells the sender what it may write over.
void Endpoint::release(Incoming& in) {
  if (in.in_use > 0 || in.released == in.read) return;
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
  std::size_t head = sizeof header;
  if (is_question(header)) {
    std::memcpy(&call.reply, at + head, sizeof call.reply);
    if (space_.owner(call.reply) != Rank(from) ||
        reinterpret_cast<std::uintptr_t>(call.reply) % alignof(Reply) != 0)
      corrupt(fmt::format(
          "a question from rank {} names a place for the answer that is not its own", from));
    head += sizeof call.reply;
  }
  call.arguments = at + head;
  if ((header.kind & RequestHeader::is_long) == 0) return nullptr;
  LongArguments where;
  std::memcpy(&where, at + head, sizeof where);
  auto* block = reinterpret_cast<std::byte*>(where.block);
  if (space_.owner(block) != Rank(from) || where.bytes < head ||
      space_.owner(block + where.bytes - 1) != Rank(from))
    corrupt(
        fmt::format("a request from rank {} has arguments that do not lie in its memory", from));
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
  call.end = at + header.units * RequestHeader::unit;
  std::byte* const block = locate(call, header, at);
  sender_.depth = static_cast<std::uint8_t>(header.depth + (call.reply != nullptr ? 1 : 0));
  run(call, header);
  if (block != nullptr) Blocks::mark_done(block);
  ++in.executed;
}

void Endpoint::gone(Call& call, const RequestHeader& header) {
  failed(call, Errc::object_gone,
         fmt::format("object {} (of generation {}) is not, or not any more, on rank {}",
                     header.object, header.generation, static_cast<int>(space_.me())),
         false);
}

void Endpoint::failed(Call& call, Errc code, const std::string& text, bool executed) {
  if (call.reply != nullptr) {
    std::byte* room = detail::reply_room(call, text.size());
    std::memcpy(room, text.data(), text.size());
    call.reply->code = static_cast<std::uint32_t>(code) + 1;
    // Release: the text is in place.
    call.reply->state.store(executed ? Reply::threw : Reply::refused, std::memory_order_release);
    progress::ring(space_.slot(call.from));
    return;
  }
  if (executed) return call_failed(*this, call.from, text);
  report(*this, call.from, text);
}

void Endpoint::settle_watched() {
  // Continuations may watch others, and wait: what is settled leaves the list first.
  std::vector<std::shared_ptr<detail::FutureBase>> settled;
  std::erase_if(watched_, [&](const auto& future) {
    if (!future->poll()) return false;
    settled.push_back(future);
    return true;
  });
  for (const auto& future : settled) future->run_continuations();
}

}  // namespace armature::rmi

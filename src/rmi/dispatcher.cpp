#include "rmi/dispatcher.hpp"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/valgrind.hpp"
#include "rmi/failure.hpp"
#include "rmi/remote_replies.hpp"
#include "rmi/request_checksum.hpp"
#include "rmi/thrown_here.hpp"
#include "wait/ordered.hpp"

namespace armature::rmi {

using detail::Call;
using detail::CodePointer;
using detail::LongArguments;
using detail::Method;
using detail::Reply;
using detail::RequestHeader;
using detail::RequestKind;

namespace {

std::uint64_t first_word(const std::byte* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, RequestHeader::first_word);
  return word;
}

}  // namespace

const Method& Dispatcher::method(std::uint64_t token) {
  const auto* found = static_cast<const Method*>(detail::from_token(token));
  if (reinterpret_cast<std::uintptr_t>(found) % alignof(Method) != 0 ||
      found->magic != Method::expected_magic)
    corrupt(fmt::format("a request names a method by {:#x}, where there is none", token));
  last_token_ = token;
  last_method_ = found;
  return *found;
}

/// Calls f, which says in `what` which method it runs; an exception of that is its caller's.
/// Objects that it has ended go before it counts as over.
template <class F>
[[gnu::always_inline]] inline void Dispatcher::guarded(Call& call, F&& f) {
  const Method* what = nullptr;
  try {
    f(what);
  } catch (const ThrownHere&) {
    __builtin_unreachable();
  } catch (...) {
    tell_thrown([&](Errc code, const char* text) { failures_.threw(call, what, code, text); });
  }
  objects_.method_is_over();
}

/// The method of a request and, in `call`, its object; nullptr when that is gone, which its caller
/// has been told then.
const Method* Dispatcher::find(Call& call, const RequestHeader& header) {
  const std::uint64_t token =
      (static_cast<std::uint64_t>(header.module) << 32) | header.method_offset;
  const Method& what = token == last_token_ ? *last_method_ : method(token);
  if (header.object != RequestHeader::function) {
    call.object = objects_.find({header.object, header.generation});
    if (call.object == nullptr) [[unlikely]] {
      failures_.object_gone(call, header, what);
      return nullptr;
    }
  }
  objects_.runs(call.object);
  return &what;
}

namespace {

/// Takes the pointer to code that stands behind the head, or the reply slot.
void take_code(Call& call) {
  CodePointer pointer;
  if (call.end - call.arguments < static_cast<std::ptrdiff_t>(sizeof pointer)) [[unlikely]]
    detail::Reader::corrupt();
  std::memcpy(&pointer, call.arguments, sizeof pointer);
  call.arguments += sizeof pointer;
  call.code = detail::decode(pointer);
  call.adjust = pointer.adjust();
}

}  // namespace

void Dispatcher::run(Incoming& in, Call& call, const RequestHeader& header, const Method*& what) {
  what = find(call, header);
  if (what == nullptr) return;
  if (what->takes_code) take_code(call);
  what->looks_into_message ? run_held(in, call, header, *what) : what->run(call);
}

/// The request's slot is held while the method runs, though it waits.
void Dispatcher::run_held(Incoming& in, Call& call, const RequestHeader& header,
                          const Method& what) {
  struct Kept {
    std::byte*& slot;
    std::byte* const block;
    ~Kept() { slot = block; }
  } const kept{unpacked_block_, std::exchange(unpacked_block_, nullptr)};
  const HeldSlot held(in.held, in.channel, in.read - header.units * RequestHeader::unit,
                      kept.block == nullptr ? header.units : std::uint16_t{0});
  what.run(call);
}

[[gnu::noinline]] bool Dispatcher::find_first(Repeated& first, Call& call) {
  first.what = nullptr;
  const Method* const what = find(call, first.header);
  if (what == nullptr) return false;
  first.changes = objects_.changes();
  first.object = call.object;
  if (what->takes_code) first.code = detail::decode(first.pointer);
  first.what = what;
  return true;
}

/// The method that the channel's last full header names, and in `call` the object and the code;
/// nullptr when the object is gone, which the caller has been told then.
[[gnu::always_inline]] inline const Method* Dispatcher::find_repeated(Repeated& first, Call& call) {
  if (first.what == nullptr || first.changes != objects_.changes()) [[unlikely]] {
    if (!find_first(first, call)) return nullptr;
  }
  objects_.runs(first.object);
  call.object = first.object;
  call.code = first.code;
  call.adjust = first.pointer.adjust();
  return first.what;
}

void Dispatcher::repeat(Incoming& in, const RequestHeader& header, const std::byte* at,
                        std::uint64_t stop) {
  const std::size_t bytes = header.units * RequestHeader::unit;
  const bool is_first = header.is(RequestKind::full_header);
  if (is_first) {
    in.first = {.header = header};
    if (bytes > sizeof header)
      std::memcpy(&in.first.pointer, at + sizeof header, sizeof in.first.pointer);
  } else if (in.first.header.units == 0) {
    corrupt(fmt::format("a request from rank {} repeats one that never was", in.from));
  }
  const std::uint64_t word = first_word(at);
  const std::size_t bytes_of_call = bytes - context_.checksum_bytes;
  Call call;
  call.from = Rank(in.from);
  call.start = at;
  call.end = at + bytes_of_call;
  context_.sender.depth = 0;  // nobody waits for it: what it asks begins a chain
  guarded(call, [&](const Method*& what) {
    what = find_repeated(in.first, call);
    if (what == nullptr) return;
    call.arguments = at + (!is_first          ? RequestHeader::first_word
                           : what->takes_code ? sizeof header + sizeof(CodePointer)
                                              : sizeof header);
    if (call.arguments > call.end) detail::Reader::corrupt();
    if (races::looks()) [[unlikely]] {
      stop = 0;  // each is heard of by itself
      wait::hear_from(in.from);
    }
    if (what->looks_into_message) return run_held(in, call, header, *what);
    if (is_first) stop = 0;  // what comes behind it has another head
    const std::uint32_t changes = objects_.changes();
    const std::byte* start = at;
    for (std::uint64_t read = in.read;;) {
      what->run(call);
      const std::uint64_t next = read + bytes;
      start += bytes;
      // A method that waited has let others in, and may have got further; one may end the object.
      if (next > stop || in.read != read || first_word(start) != word ||
          objects_.changes() != changes)
        return;
      // Counted when it is over: what it sent has been counted before.
      ++in.executed;
      in.read = read = next;
      call.start = start;
      call.arguments = start + RequestHeader::first_word;
      call.end = start + bytes_of_call;
      if (stop - next > Incoming::ahead_bytes) __builtin_prefetch(start + Incoming::ahead_bytes);
    }
  });
  ++in.executed;
}

[[gnu::always_inline]] inline std::byte* Dispatcher::locate(Call& call, const RequestHeader& header,
                                                            const std::byte* at) {
  const int from = call.from;
  const bool is_long = (header.kind & RequestHeader::is_long) != 0;
  const std::size_t head =
      sizeof header + (header.is(RequestKind::two_way) ? sizeof call.reply : 0);
  if ((header.kind & ~(RequestHeader::kind_mask | RequestHeader::is_long)) != 0 ||
      (!header.is(RequestKind::one_way) && !header.is(RequestKind::two_way)) ||
      head + (is_long ? sizeof(LongArguments) : 0) > static_cast<std::size_t>(call.end - at))
    corrupt(fmt::format("a request from rank {} of kind {:#x} and {} bytes", from, header.kind,
                        call.end - at));
  if (header.is(RequestKind::two_way)) {
    std::memcpy(&call.reply, at + sizeof header, sizeof call.reply);
    const auto in_segment = static_cast<std::size_t>(
        reinterpret_cast<const std::byte*>(call.reply) - space_.segment(from));
    if (in_segment >= space_.segment_bytes() ||
        reinterpret_cast<std::uintptr_t>(call.reply) % alignof(Reply) != 0)
      corrupt(fmt::format(
          "a two-way call from rank {} names a place for the answer that is not its own", from));
  }
  call.arguments = at + head;
  if (!is_long) return nullptr;
  const LongArguments where = *long_arguments(header, at);
  auto* block = reinterpret_cast<std::byte*>(where.block);
  if (where.bytes < head || !Blocks::may_be(space_, block, where.bytes, from))
    corrupt(
        fmt::format("a request from rank {} has arguments that do not lie in its memory", from));
  base::mark_defined(block, where.bytes);
  call.start = block;
  call.end = block + where.bytes;
  call.arguments = call.start + head;
  return block;
}

/// Arguments that lie on another node come here; false when their sender has died before.
bool Dispatcher::fetch(Call& call) {
  const auto head = call.arguments - call.start;
  const auto bytes = static_cast<std::size_t>(call.end - call.start);
  try {
    std::byte* const here = room_to_fetch(space_, blocks_, call.start, bytes);
    fetch_into(here, space_, call.from, call.start, bytes);
    call.start = unpacked_block_ = here;
  } catch (const Error& error) {
    if (error.code() != Errc::rank_lost) throw;
    return false;
  }
  call.end = call.start + bytes;
  call.arguments = call.start + head;
  return true;
}

void Dispatcher::execute(Incoming& in, const RequestHeader& header, const std::byte* at) {
  Call call;
  call.from = Rank(in.from);
  call.start = at;
  call.end = at + header.units * RequestHeader::unit - context_.checksum_bytes;
  std::byte* const block = locate(call, header, at);
  StandIn stand_in;
  const bool is_here = space_.is_here(in.from);
  if (call.reply != nullptr && !is_here) {
    stand_in.asked_for = call.reply;
    call.reply = &stand_in.reply;
  }
  context_.sender.depth = static_cast<std::uint8_t>(call.reply != nullptr ? header.depth + 1 : 0);
  wait::hear_from(in.from);
  answered_ = answered_ || call.reply != nullptr;
  // A method that waits needs its message no more, unless it has views of it.
  ARMATURE_ASSERT(unpacked_block_ == nullptr);  // whoever waits below has given it back
  if (is_here) unpacked_block_ = block;
  guarded(call, [&](const Method*& what) {
    if (block != nullptr && !is_here && !fetch(call)) return;
    if (context_.checksum_bytes != 0 && block != nullptr)
      check_block(call, {at, header.units * RequestHeader::unit});
    run(in, call, header, what);
  });
  release_block();
  ++in.executed;
}

}  // namespace armature::rmi

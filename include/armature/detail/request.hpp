#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "armature/detail/export.hpp"
#include "armature/rank.hpp"

// The inlined half of sending a request. A rank has one channel to every other rank of its node: a
// ring of requests in the sender's own segment, which the receiver reads where they were written.
// The caller asks for room, writes the request in place and commits it: a few stores, one of them
// the word that the receiver looks at. Everything else (no room, a receiver asleep, requests that
// are held back to travel together) is compiled code behind `at`, `end` and `direct`.

namespace armature::detail {

enum class RequestKind : std::uint8_t {
  filler,           // the ring's end, too short for the next request
  one_way,          // nobody waits for the result
  two_way,          // followed by the address of the caller's reply slot
  full_header,      // a one-way call whose header the next ones may repeat
  repeated_header,  // one like the last full header of its channel: the first word, and arguments
};

/// Stands before every request. The head is followed by the reply slot (two-way call), and by the
/// pointer to code if the method needs one. Then come the arguments, or where all that lies when it
/// is too long for the ring.
struct RequestHeader {
  static constexpr std::uint8_t kind_mask = 0x0f;
  static constexpr std::uint8_t is_long = 0x10;  // the arguments lie in a block of the sender

  std::uint16_t units = 0;  // length in units of 16 bytes, this header included
  std::uint8_t kind = 0;
  std::uint8_t depth = 0;    // how many two-way calls deep the sender was
  std::uint32_t object = 0;  // its index in the receiver's table, or `function`
  std::uint32_t method_offset = 0;
  std::uint16_t module = 0;
  std::uint16_t generation = 0;  // of the object

  [[nodiscard]] bool is(RequestKind which) const {
    return (kind & kind_mask) == static_cast<std::uint8_t>(which);
  }

  static constexpr std::uint32_t function = 0xffff'ffff;
  static constexpr std::size_t unit = 16;
  static constexpr std::size_t first_word = 8;  // all there is of a repeated header
};
static_assert(sizeof(RequestHeader) == 16);

/// The sender's end of a channel.
struct Outgoing {
  std::byte* at = nullptr;   // where the next request goes
  std::byte* end = nullptr;  // up to where there is room, as far as is known
  std::atomic<std::uint64_t>* published = nullptr;
  const std::atomic<std::uint32_t>* asleep = nullptr;  // the receiver's
  std::uint64_t written = 0;                           // bytes, since ever
  std::uint64_t sent = 0;  // requests, since ever: the fence counts them
  bool direct = false;     // publish each request at once, by a store
  bool alone = false;  // whoever sends may write up to `end` without asking: no other thread of the
                       // rank might write there too, and requests have no checksum
  // Requests that are held back to travel together, and how many may be; 0: commit_indirect sees
  // each.
  std::uint32_t held = 0;
  std::uint32_t held_max = 0;
  // The names in the last full header. A method's token is never 0.
  std::uint64_t method = 0;
  std::uint64_t code = 0;
  std::uint64_t object = 0;
};

class Holder;

/// The data of the calling rank that the inlined half needs.
struct Sender {
  Outgoing* to = nullptr;
  std::uint32_t ranks = 0;
  std::uint32_t until_poll = 0;
  std::uint8_t depth = 0;    // of the request that is being executed
  bool is_late = false;      // since a method put off what it was time to do
  int level = 0;             // methods under way, each of them waiting but for the last
  Holder* holder = nullptr;  // of what begins to wait now (holder.hpp)
};

/// The calling rank's. A thread that runs none has one without channels, which is never written:
/// its calls are compiled code.
extern ARMATURE_API __thread Sender* sender __attribute__((tls_model("initial-exec")));

/// The place of arguments that are too long for the ring: a block in the sender's segment.
struct LongArguments {
  std::uint64_t block = 0;
  std::uint64_t bytes = 0;  // of the request as it would be in the ring, its header included
};

/// The longest request that lies in the ring; the arguments of longer ones lie in a block.
inline constexpr std::size_t request_bytes_max = 8 * 1024;

/// Room for a request of that many bytes; delivers incoming requests while it waits for it.
[[gnu::cold]] ARMATURE_API std::byte* find_room(Sender& sender, Outgoing& out, std::size_t bytes);
ARMATURE_API void commit_indirect(Sender& sender, Outgoing& out);
ARMATURE_API void wake_receiver(Sender& sender, Outgoing& out);
ARMATURE_API void poll_now(Sender& sender);
/// The channel of a thread that runs no rank. Throws Error(bad_rank), Error(misuse).
[[gnu::cold]] ARMATURE_API Outgoing& find_channel(Rank rank);

/// The channel to a rank. Throws Error(bad_rank), or Error(misuse) outside a job.
[[gnu::always_inline]] inline Outgoing& channel_to(Sender& me, Rank rank) {
  if (static_cast<std::uint32_t>(static_cast<int>(rank)) >= me.ranks) [[unlikely]]
    return find_channel(rank);
  return me.to[static_cast<int>(rank)];
}
[[gnu::always_inline]] inline Outgoing& channel_to(Rank rank) { return channel_to(*sender, rank); }

/// The sender holds the rank's endpoint if several threads share it: then room is asked for.
[[gnu::always_inline]] inline bool has_room(const Outgoing& out, std::size_t bytes) {
  return out.alone && static_cast<std::size_t>(out.end - out.at) >= bytes;
}

/// Returns where to write the next request. Nothing has happened until commit().
[[gnu::always_inline]] inline std::byte* reserve(Outgoing& out, std::size_t bytes) {
  if (has_room(out, bytes)) [[likely]]
    return out.at;
  return find_room(*sender, out, bytes);
}

/// The receiver has read these lines before, on the last lap: asking for them early keeps the
/// stores to them from waiting.
[[gnu::always_inline]] inline void own_line(const std::byte* at) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*at));
#else
  __builtin_prefetch(at, 1);
#endif
}
inline constexpr std::ptrdiff_t own_ahead_bytes = 1024;

/// The names in a one-way call. The next call with the same names leaves them out.
struct Named {
  std::uint64_t method;  // a token
  std::uint64_t code;    // a CodePointer's bits, or 0
  std::uint64_t object;  // an ObjectId's, in one word
};
/// Room for a one-way call that says what it names, of that many bytes; returns where its arguments
/// go.
[[gnu::cold]] ARMATURE_API std::byte* start_first(Outgoing& out, std::size_t bytes,
                                                  const Named& named, bool takes_code);

[[gnu::always_inline]] inline void commit(Sender& me, Outgoing& out, std::size_t bytes) {
  out.at += bytes;
  if (out.end - out.at > own_ahead_bytes) own_line(out.at + own_ahead_bytes);
  // Counted before anyone can see it: the fence must never see more executed than sent.
  ++out.sent;
  asm volatile("" : "+m"(out.sent));  // else the compiler adds to both in one vector: more steps
  out.written += bytes;
  if (out.direct) [[likely]] {
    // Release: the receiver reads the request after it has seen this.
    out.published->store(out.written, std::memory_order_release);
    // The compiler must keep the order: publish, then look (see wait/notifier.hpp).
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (out.asleep->load(std::memory_order_relaxed) != 0) [[unlikely]]
      wake_receiver(me, out);
  } else if (out.held < out.held_max) {
    ++out.held;
  } else {
    return commit_indirect(me, out);
  }
  if (--me.until_poll == 0) [[unlikely]]
    poll_now(me);
}

/// The place where a request is written whose length is not known when compiling: in the ring, or
/// in a block if it is too long. It is given up if the request is not sent after all.
class Place {
 public:
  explicit Place(Outgoing& out) : out_(out) {}
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() {
    if (block_ != nullptr || locks_ != 0) [[unlikely]]
      give_up();
  }

  /// False when it is to be asked again. What has come in was executed to make room, or another
  /// thread may have executed it; that may change what is being sent and with it the length. Throws
  /// Error(out_of_memory).
  [[gnu::always_inline]] bool find(std::size_t used) {
    if (used <= request_bytes_max && has_room(out_, used + RequestHeader::unit)) [[likely]] {
      at_ = out_.at;
      return true;
    }
    return look(used);
  }
  [[nodiscard]] std::byte* at() const { return at_; }

  /// Sends what was written, `bytes` in whole units, `head` of them before the arguments.
  [[gnu::always_inline]] void commit(std::size_t bytes, std::size_t head) {
    if (block_ != nullptr || locks_ != 0) [[unlikely]]
      return commit_found(bytes, head);
    detail::commit(*sender, out_, bytes);
  }

 private:
  [[gnu::cold]] ARMATURE_API bool look(std::size_t used);
  [[gnu::cold]] ARMATURE_API void commit_found(std::size_t bytes, std::size_t head);
  [[gnu::cold]] ARMATURE_API void give_up() noexcept;

  Outgoing& out_;
  std::byte* at_ = nullptr;
  std::byte* block_ = nullptr;  // of `block_bytes_`
  std::size_t block_bytes_ = 0;
  int locks_ = 0;  // of the endpoint, against the rank's other threads
};

}  // namespace armature::detail

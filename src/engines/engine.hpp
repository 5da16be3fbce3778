#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

// The interface of a network engine. It is thin on purpose: packets between two processes that
// arrive whole and once; one may overtake another. Everything else (requests, acknowledgements,
// gathering small things, order) is built on that once, for all engines, in `links`.
//
// An engine is used by one thread at a time: whoever uses it holds a lock of its own. It lies in a
// module of its own that is loaded when a job has several nodes (load.hpp), so that programs that
// stay on one node neither load nor need a network library. No exception crosses that border.

namespace armature::transport {

/// The reports of an engine, which it makes from inside of progress(), send(), put() and get()
/// alone.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  /// A packet; both parts are the engine's again when this returns.
  virtual void received(std::span<const std::byte> head, std::span<const std::byte> body) = 0;
  /// The memory that send() was lent under this token may be changed again.
  virtual void sent(std::uint64_t token) = 0;
  /// Nothing more can be sent to that peer.
  virtual void lost(int peer, const char* why) = 0;
};

struct EngineOptions {
  std::string device;         // network interface; "" for the engine's own choice
  bool device_alone = false;  // the user has said so: hardware of other kinds is left out
  std::string interfaces;     // kinds of transport, in the engine's words; "" for its own choice
  std::string name;           // "ucx", "ofi"; "" for the first of these that works here
  std::size_t segment = 0;    // bytes that travel as one; 0 for the engine's own choice
  // Whether it is to have one-sided operations of its own: where the network does them, or anyway.
  enum class OneSided { where_rdma, on, off } one_sided = OneSided::off;
  // For tests without a card: memory that is registered becomes the engine's own, in place, until
  // its registration ends. UCX reaches no other memory without the help of the target.
  bool allocates = false;
};

/// One way of an engine to reach others, and what has become of it.
struct Transport {
  std::string name;   // in the engine's words: "tcp/eth0"
  bool used = false;  // it carries what is sent to the peer that was asked about
  std::string why;    // "chosen by UCX for am, wireup"; "left out: ..."
};

/// An atomic operation on a word.
struct WordAtomic {
  enum class Code : std::uint8_t {
    fetch_add,
    fetch_and,
    fetch_or,
    fetch_xor,
    swap,
    compare_swap
  } code = Code::fetch_add;
  std::uint64_t operand = 0;
  std::uint64_t expected = 0;  // of compare_swap
};

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  /// "UCX 1.13 over tcp on lo (127.0.0.1)".
  [[nodiscard]] virtual const char* description() const = 0;
  /// The address that others must know to reach this process.
  [[nodiscard]] virtual std::span<const std::byte> address() const = 0;
  /// Connects to a peer. Returns what went wrong, or nullptr, before the peer has answered.
  [[nodiscard]] virtual const char* connect(int peer, std::span<const std::byte> address) = 0;
  /// Sends head and body as one packet; either may be empty. True when both may be changed at once;
  /// else they must stay until sink.sent(token).
  [[nodiscard]] virtual bool send(int peer, std::span<const std::byte> head,
                                  std::span<const std::byte> body, std::uint64_t token) = 0;
  /// As send(), of a body that lies in several places, at most parts_max: the engine gathers it.
  /// The list must stay as long as the bytes.
  using Parts = std::span<const std::span<const std::byte>>;
  [[nodiscard]] virtual bool send_parts(int /*peer*/, std::span<const std::byte> /*head*/,
                                        Parts /*body*/, std::uint64_t /*token*/) {
    return true;
  }
  std::size_t parts_max = 0;  // 0: the engine does not gather. It stays as the engine was made
  /// Gives up a peer, which may still be there: nothing more is sent to it, and what was lent for
  /// it is reported as sent() by a later progress().
  virtual void drop(int peer) = 0;
  /// Reports what has happened; whether anything has. Never blocks, and returns in bounded time
  /// though more keeps coming: the caller comes back.
  virtual bool progress() = 0;
  /// Readable when there is something to progress, once arm() has said true.
  [[nodiscard]] virtual int descriptor() const = 0;
  /// False when there is something already.
  [[nodiscard]] virtual bool arm() = 0;

  /// All ways that the engine finds on this machine, and which of them it uses for a peer that has
  /// answered. It takes its time. Empty when the engine does not tell.
  [[nodiscard]] virtual std::vector<Transport> transports(int /*peer*/) const { return {}; }

  // One-sided operations of the engine itself. An engine need not have them.
  [[nodiscard]] virtual bool is_one_sided() const { return false; }
  /// Whether memory that is registered is held in place for the network's hardware.
  [[nodiscard]] virtual bool pins_memory() const { return false; }
  /// Lets peers reach that memory of this process from now on. Returns its remote key, packed.
  /// Empty when it cannot be.
  [[nodiscard]] virtual std::vector<std::byte> register_memory(std::span<std::byte> /*memory*/) {
    return {};
  }
  /// Ends the registration of memory that was registered as that. Nobody uses its keys any more.
  virtual void unregister_memory(std::span<std::byte> /*memory*/) {}
  /// Returns the remote key that a peer has packed; nullptr when that is of no use here.
  [[nodiscard]] virtual void* unpack_rkey(int /*peer*/, std::span<const std::byte> /*packed*/) {
    return nullptr;
  }
  /// Lets go of such a key, with which no operation is under way.
  virtual void forget_rkey(void* /*rkey*/) {}
  /// Bytes that lie there in a peer's memory, and here.
  struct Run {
    std::uint64_t there;
    std::byte* here;
    std::size_t bytes;
  };
  using Runs = std::span<const Run>;
  /// Writes the runs to the peer's memory, from here. They are handed over together, and the
  /// network gathers them. Told by sink.sent(token), for each run, when its bytes are there. False
  /// where the engine cannot use the memory here at the moment: none of them has begun then.
  [[nodiscard]] virtual bool put(int /*peer*/, void* /*rkey*/, Runs /*runs*/,
                                 std::uint64_t /*token*/) {
    return false;
  }
  /// Reads them to here. Told in the same way.
  [[nodiscard]] virtual bool get(int /*peer*/, void* /*rkey*/, Runs /*runs*/,
                                 std::uint64_t /*token*/) {
    return false;
  }
  /// Ends all registrations of this process's memory, and forgets the keys that peers have packed.
  /// None of these operations is under way.
  virtual void forget_memory() {}
  /// Whether such operations end in bounded time whatever becomes of their targets.
  [[nodiscard]] virtual bool needs_no_target() const { return false; }

  // A word is 8 bytes at a multiple of 8.
  /// Whether put() and get() write and read a word as one.
  [[nodiscard]] virtual bool has_words() const { return false; }
  /// Whether there are atomics, which those of the target's own processors do not interrupt.
  [[nodiscard]] virtual bool has_atomics() const { return false; }
  /// Told by sink.sent(token) when it is done, and what the word was before is in `found`.
  virtual void atomic(int /*peer*/, void* /*rkey*/, std::uint64_t /*address*/,
                      const WordAtomic& /*what*/, std::uint64_t& /*found*/,
                      std::uint64_t /*token*/) {}
};

/// The function that an engine's module exports, under the name `armature_open_engine`. It returns
/// nullptr, and writes what is wrong into `problem` (of problem_bytes, terminated), when the engine
/// cannot work here.
using OpenEngine = Engine* (*)(Sink& sink, const EngineOptions& options, char* problem,
                               std::size_t problem_bytes);

}  // namespace armature::transport

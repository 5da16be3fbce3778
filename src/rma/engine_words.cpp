// Words by the engine's own operations: blocking gets and atomics of 8 bytes, and puts where that
// is asked for. What does not block goes by records, many to a packet. So do puts otherwise: a put
// by records returns before it has travelled.
//
// Whether the engine is faster than records depends on the network and on what targets do. So the
// first word that a process wants is a probe: it is read some times in both ways, and the way with
// the shortest time is kept.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "base/clock.hpp"
#include "base/runtime.hpp"
#include "rma/engine_transfer.hpp"
#include "rma/protocol.hpp"
#include "rma/remote.hpp"
#include "transport/limits.hpp"
#include "wait/suppress_thread.hpp"

namespace armature::rma {

using transport::Limits;
using transport::WordAtomic;
using Run = transport::Engine::Run;

namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

/// Begins an operation on a word, by begin(engine, key, token), which says whether it has begun,
/// and waits for its end. False where the engine does not reach the word.
template <class Begin>
bool do_word(Rank rank, std::uint64_t address, const char* call, Begin begin) {
  Network& net = *net::network();
  if (key_of(net, rank, address, call).rkey == nullptr) return false;
  const wait::SuppressThread suppressed;
  net.flush().records_to(rank, call);
  UnderWay word;
  // A rank that has waited may be in a process that does not know the key yet.
  if (!begin_with_key(net, rank, address, call,
                      [&](transport::Engine& engine, const EngineKey& key) {
                        const bool is_taken = begin(engine, key, word.begin());
                        if (!is_taken) word.take_back();
                        return is_taken;
                      }))
    return false;
  word.await(net, 0, call);
  net.peers().require_reachable(rank, call);
  return true;
}

bool get_word(Rank rank, std::uint64_t address, std::uint64_t& found, const char* call) {
  return do_word(rank, address, call, [&](transport::Engine& engine, EngineKey key, auto token) {
    const Run word{address, reinterpret_cast<std::byte*>(&found), word_bytes};
    return engine.get(key.process, key.rkey, {&word, 1}, token);
  });
}

bool put_word(Rank rank, std::uint64_t address, std::uint64_t value, const char* call) {
  return do_word(rank, address, call, [&](transport::Engine& engine, EngineKey key, auto token) {
    const Run word{address, reinterpret_cast<std::byte*>(&value), word_bytes};
    return engine.put(key.process, key.rkey, {&word, 1}, token);
  });
}

/// The shortest time of some calls; UINT64_MAX where one of them is false.
template <class F>
std::uint64_t shortest_ns(F call) {
  constexpr int times = 6;
  std::uint64_t shortest = UINT64_MAX;
  for (int i = 0; i < times; ++i) {
    const std::uint64_t begun_ns = base::now_ns();
    if (!call()) return UINT64_MAX;
    shortest = std::min(shortest, base::now_ns() - begun_ns);
  }
  return shortest;
}

/// A put by the engine waits. A virtual rank that waits lets others of its process run, and its
/// methods, so calls would come in another order than by records, where a put does not wait.
bool puts_words_by_engine() {
  return Limits::get().words == Limits::Words::engine &&
         net::network()->mapping().header().ranks_are_virtual == 0;
}

enum class Faster : std::uint8_t { unknown, engine, records };
struct Probed {
  std::atomic<Faster> is = Faster::unknown;  // relaxed: two that probe at once both may say
};

/// `unknown` where the engine does not reach the word, or not now: that says nothing of its time.
Faster probe(Rank rank, std::uint64_t address, const char* call) {
  std::uint64_t found = 0;
  const std::uint64_t engine_ns = shortest_ns([&] { return get_word(rank, address, found, call); });
  if (engine_ns == UINT64_MAX) return Faster::unknown;
  const OnePiece piece{&found, reinterpret_cast<const void*>(address), word_bytes};
  const Operation get = operation_on(Verb::get, rank, piece, {.call = call});
  const std::uint64_t records_ns = shortest_ns([&] {
    (void)packet.start(get, Finish::now);
    return true;
  });
  return engine_ns < records_ns ? Faster::engine : Faster::records;
}

bool is_by_engine(Rank rank, std::uint64_t address, const char* call) {
  if (Limits::get().words == Limits::Words::engine) return true;
  Faster faster = base::state<Probed>().is.load(std::memory_order_relaxed);
  if (faster == Faster::unknown) {
    faster = probe(rank, address, call);
    base::state<Probed>().is.store(faster, std::memory_order_relaxed);
  }
  return faster == Faster::engine;
}

bool put_by_engine(const Operation& what) {
  if (!puts_words_by_engine()) return false;
  std::uint64_t value = 0;
  std::memcpy(&value, what.from, sizeof value);
  return put_word(what.rank, reinterpret_cast<std::uint64_t>(what.to), value, what.call());
}

bool get_by_engine(const Operation& what) {
  const auto address = reinterpret_cast<std::uint64_t>(what.from);
  std::uint64_t value = 0;
  if (!is_by_engine(what.rank, address, what.call()) ||
      !get_word(what.rank, address, value, what.call()))
    return false;
  std::memcpy(what.to, &value, sizeof value);
  return true;
}

detail::Request* start_word(const Operation& what, Finish finish) {
  const bool is_done =
      finish == Finish::now && (what.verb == Verb::put ? put_by_engine(what) : get_by_engine(what));
  return is_done ? nullptr : packet.start(what, finish);
}

WordAtomic::Code code_of(AtomicCode code) {
  using Code = WordAtomic::Code;
  switch (code) {
    case AtomicCode::fetch_add:
      return Code::fetch_add;
    case AtomicCode::fetch_and:
      return Code::fetch_and;
    case AtomicCode::fetch_or:
      return Code::fetch_or;
    case AtomicCode::fetch_xor:
      return Code::fetch_xor;
    case AtomicCode::swap:
      return Code::swap;
    case AtomicCode::compare_swap:
      return Code::compare_swap;
  }
  return Code::fetch_add;
}

detail::Request* start_word_atomic(const Atomic& what, Finish finish, std::uint64_t& found) {
  const AtomicRecord& record = what.record;
  if (finish == Finish::now && is_by_engine(what.rank, record.address, what.call)) {
    const WordAtomic atomic{
        .code = code_of(record.code), .operand = record.operand, .expected = record.expected};
    const auto begin = [&](transport::Engine& engine, EngineKey key, std::uint64_t token) {
      engine.atomic(key.process, key.rkey, record.address, atomic, found, token);
      return true;
    };
    if (do_word(what.rank, record.address, what.call, begin)) return nullptr;
  }
  return packet.start_atomic(what, finish, found);
}

}  // namespace

const Protocol engine_word{
    .name = "engine word", .start = start_word, .start_atomic = start_word_atomic};

}  // namespace armature::rma

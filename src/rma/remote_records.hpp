#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "armature/strided.hpp"
#include "rma/records.hpp"

// The records of one-sided operations between nodes, as they travel. Addresses are the target's
// own.

namespace armature::rma {

inline constexpr std::uint32_t no_element = UINT32_MAX;  // a put, no accumulate

/// Kind::put. The bytes follow.
struct PutRecord {
  std::uint64_t address;
};

/// Kind::write: rows that follow each other densely behind it.
struct WriteRecord {
  std::uint64_t address;
  std::int64_t stride;
  std::uint64_t row_bytes;
  std::uint64_t rows;
  std::uint32_t element;  // a detail::Element, or no_element
  std::uint32_t unused;
  std::byte scale[16];
};

/// Kind::pieces: `count` addresses follow, then as many pieces.
struct PiecesRecord {
  std::uint64_t piece_bytes;
  std::uint32_t count;
  std::uint32_t element;
  std::byte scale[16];
};

/// Kind::get: answered by Kind::data with the bytes of this subarray. Levels that it does not have
/// do not travel.
struct GetRecord {
  std::uint64_t request;
  std::uint64_t address;
  std::uint64_t row_bytes;
  std::uint64_t levels;
  struct Level {
    std::uint64_t count;
    std::int64_t stride;
  } level[Strided::levels_max];
};

/// Kind::gather: the same for `count` pieces, whose addresses follow.
struct GatherRecord {
  std::uint64_t request;
  std::uint64_t piece_bytes;
  std::uint64_t count;
};

/// Kind::data: bytes follow. All answers begin with the request's number.
struct DataRecord {
  std::uint64_t request;
};

enum class AtomicCode : std::uint32_t {
  fetch_add,
  fetch_and,
  fetch_or,
  fetch_xor,
  swap,
  compare_swap
};

/// Kind::atomic, answered by Kind::value.
struct AtomicRecord {
  std::uint64_t request;
  std::uint64_t address;
  std::uint64_t operand;
  std::uint64_t expected;  // of compare_swap
  AtomicCode code;
  std::uint32_t bytes;
};
struct ValueRecord {
  std::uint64_t request;
  std::uint64_t value;
};

/// Kind::signal. Behind the records of the data that it tells of.
struct SignalRecord {
  std::uint64_t address;
  std::uint64_t value;
  AtomicCode code;  // fetch_add or swap
  std::uint32_t unused;
};

/// The atomic that a signal is.
inline AtomicRecord atomic_of(const SignalRecord& signal) {
  return {.request = 0,
          .address = signal.address,
          .operand = signal.value,
          .expected = 0,
          .code = signal.code,
          .bytes = sizeof signal.value};
}

/// Kind::check: may that be reached? The name of the call follows. Answered by Kind::checked.
struct CheckRecord {
  std::uint64_t request;
  std::uint64_t address;
  std::uint64_t bytes;
};
struct CheckedRecord {
  std::uint64_t request;
  std::uint64_t extent;  // of what the rank has allocated
  std::uint64_t begin;   // of what it exposes there, and how long that is; else 0
  std::uint64_t bytes;
  std::uint32_t code;  // an Errc + 1, whose text follows; 0: it may
  std::uint32_t unused;
};

/// Kind::concealed: to all processes that were told, by CheckedRecord, that this is exposed.
struct ConcealedRecord {
  std::uint64_t begin;
  std::uint64_t bytes;
};

/// Kind::lock, answered by Kind::lock_holder, once or twice: a ValueRecord with the holder's token,
/// 0 when it is the asker's turn. Kind::unlock, answered by Kind::value. Kind::leave_lock.
struct LockRecord {
  std::uint64_t request;
  std::uint64_t address;
  std::uint64_t token;
};

/// Kind::key: of the chunk of a rank's segment with that number. Answered by Kind::keyed: the key
/// follows the request's number, or nothing where the engine cannot reach it, or `no_room_now`.
struct KeyRecord {
  std::uint64_t request;
  std::uint64_t chunk;
};
/// In place of a key: it is no key, as too much is registered. It may be asked for again.
inline constexpr std::array<std::byte, 1> no_room_now = {};

/// Kind::give_up: to a process that has the key of that chunk. Answered by Kind::given_up, with the
/// same serial number. Who has used the key since it was told, or was last asked to give it up,
/// keeps it.
struct GiveUpRecord {
  std::uint64_t serial;  // of the registration, of all of that process
  std::uint64_t chunk;
  std::int32_t rank;
  std::uint32_t is_kept;  // in the answer
};

}  // namespace armature::rma

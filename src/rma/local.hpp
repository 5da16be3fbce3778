#pragma once

#include <cstddef>
#include <cstdint>

#include "rma/operation.hpp"
#include "rma/remote_records.hpp"

// Transfers to and from memory of this node, for whoever has checked the address.

namespace armature::rma {

/// Values of 1, 2, 4 and 8 naturally aligned bytes move as one, as on the fast path.
void put_local(void* to, const void* from, std::size_t bytes);
void get_local(void* to, const void* from, std::size_t bytes);

/// An accumulate, holding the locks of the chunks that it touches.
void add_local(const Operation& what);
void add_local(Rank rank, const OnePiece& piece, const Update& update);
/// An atomic of 4 or 8 bytes. Returns the value found.
std::uint64_t perform_local(void* address, const AtomicRecord& record);

/// Returns the value found.
template <class T>
T perform(T* at, const AtomicRecord& what) {
  const auto operand = static_cast<T>(what.operand);
  switch (what.code) {
    case AtomicCode::fetch_add:
      return __atomic_fetch_add(at, operand, __ATOMIC_SEQ_CST);
    case AtomicCode::fetch_and:
      return __atomic_fetch_and(at, operand, __ATOMIC_SEQ_CST);
    case AtomicCode::fetch_or:
      return __atomic_fetch_or(at, operand, __ATOMIC_SEQ_CST);
    case AtomicCode::fetch_xor:
      return __atomic_fetch_xor(at, operand, __ATOMIC_SEQ_CST);
    case AtomicCode::swap:
      return __atomic_exchange_n(at, operand, __ATOMIC_SEQ_CST);
    case AtomicCode::compare_swap:
      break;
  }
  auto expected = static_cast<T>(what.expected);
  __atomic_compare_exchange_n(at, &expected, operand, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}

}  // namespace armature::rma

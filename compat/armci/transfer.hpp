#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstring>

#include <armature/accumulate.hpp>
#include <armature/error.hpp>
#include <armature/layer/direct.hpp>
#include <armature/locality.hpp>
#include <armature/rank.hpp>

#include "armci.h"
#include "calls.hpp"

// The common part of the three shapes of a transfer (contiguous, strided, vector).

namespace armci {

/// Programs name themselves as the target with memory that they did not get from ARMCI; that has
/// always been a local copy. True for such an address.
[[nodiscard]] bool is_private(int proc, const void* address);

/// Runs `remote`, or, where `address` is the caller's private memory, `local`.
template <std::invocable Remote, std::invocable Local>
[[gnu::always_inline]] inline int transfer(Call call, int proc, const void* address,
                                           Remote&& remote, Local&& local) noexcept {
  return transferred(call, [&]() -> int {
    if (!armature::layer::is_direct<1>(proc, address) && is_private(proc, address)) [[unlikely]]
      local();
    else
      remote();
    return ok;
  });
}

/// PARMCI_Put on behalf of a call that does more.
[[nodiscard]] int put(const void* src, void* dst, int bytes, int proc, Call call);

/// Bytes of an element of ARMCI_ACC_..., 0 for what is no such type.
[[nodiscard]] std::size_t element_bytes(int datatype);

/// The code for wrong arguments of an accumulate of `bytes` bytes, which is not negative, or ok.
[[nodiscard]] int check_accumulate(Call call, int datatype, const void* scale, int bytes);

template <class T>
armature::AccumulateOptions<T> scaled_by(const void* scale) {
  armature::AccumulateOptions<T> options;
  std::memcpy(&options.scale, scale, sizeof(T));  // callers do not align it
  return options;
}

/// Calls body.operator()<T>() for the element type of `datatype`, which is not ARMCI_ACC_RA.
template <class Body>
void with_element(int datatype, Body&& body) {
  switch (datatype) {
    case ARMCI_ACC_INT:
      return body.template operator()<int>();
    case ARMCI_ACC_LNG:
      return body.template operator()<long>();
    case ARMCI_ACC_FLT:
      return body.template operator()<float>();
    case ARMCI_ACC_DBL:
      return body.template operator()<double>();
    case ARMCI_ACC_CPL:
      return body.template operator()<std::complex<float>>();
    default:
      return body.template operator()<std::complex<double>>();
  }
}

/// Throws unless both ends of a row of longs are good addresses, aligned ones.
void require_row(armature::Rank rank, void* to, std::size_t bytes);
void combine_row(armature::Rank rank, void* to, const void* from, std::size_t bytes);

/// ARMCI_ACC_RA: longs combined by exclusive or, if all rows are good. for_each(row) calls row(to,
/// from, bytes) for each row.
template <class ForEach>
void combine_by_xor(armature::Rank rank, ForEach&& for_each) {
  (void)armature::node_of(rank);  // there may be no row
  for_each([=](void* to, const void*, std::size_t bytes) { require_row(rank, to, bytes); });
  for_each(
      [=](void* to, const void* from, std::size_t bytes) { combine_row(rank, to, from, bytes); });
}

}  // namespace armci

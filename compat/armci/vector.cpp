// Put, get and accumulate of pieces of equal size, anywhere on both sides.

#include <cstring>
#include <span>
#include <vector>

#include <armature/accumulate.hpp>
#include <armature/iov.hpp>

#include "armci.h"
#include "calls.hpp"
#include "job.hpp"
#include "pending.hpp"
#include "transfer.hpp"

using namespace armci;
using armature::Iov;
using armature::Rank;

namespace {

int check(Call call, const armci_giov_t* iov, int length) {
  if (length < 0) return refuse(call, null_pointer, "a negative number of descriptors");
  if (iov == nullptr && length > 0) return refuse(call, null_pointer, "no descriptors");
  for (const armci_giov_t& part : std::span(iov, static_cast<std::size_t>(length))) {
    if (part.bytes < 0) return refuse(call, bad_count, "a negative number of bytes");
    if (part.ptr_array_len < 0) return refuse(call, bad_levels, "a negative number of segments");
    if (part.ptr_array_len == 0) continue;
    if (part.src_ptr_array == nullptr || part.dst_ptr_array == nullptr)
      return refuse(call, bad_kind, "no array of addresses");
    for (int i = 0; i < part.ptr_array_len; ++i)
      if (part.src_ptr_array[i] == nullptr || part.dst_ptr_array[i] == nullptr)
        return refuse(call, null_pointer, "a segment without source or target");
  }
  return ok;
}

std::vector<Iov> converted(const armci_giov_t* iov, int length) {
  std::vector<Iov> lists;
  lists.reserve(static_cast<std::size_t>(length));
  for (const armci_giov_t& part : std::span(iov, static_cast<std::size_t>(length))) {
    const auto count = static_cast<std::size_t>(part.ptr_array_len);
    lists.push_back({.to = std::span<void* const>(part.dst_ptr_array, count),
                     .from = std::span<const void* const>(part.src_ptr_array, count),
                     .bytes = static_cast<std::size_t>(part.bytes)});
  }
  return lists;
}

enum class Side { to, from };  // the one at the other process

/// The pieces of a caller that names itself, each by itself.
struct Sorted {
  Sorted(std::span<const Iov> lists, Side side, int proc) {
    for (const Iov& part : lists)
      for (std::size_t i = 0; i < part.to.size(); ++i) {
        const bool is_own = is_private(proc, side == Side::to ? part.to[i] : part.from[i]);
        (is_own ? own : reachable)
            .push_back({part.to.subspan(i, 1), part.from.subspan(i, 1), part.bytes});
      }
  }

  std::vector<Iov> own;        // private memory
  std::vector<Iov> reachable;  // by others, too
};

template <class Remote>
int copy(Call call, const armci_giov_t* iov, int length, int proc, Side side, Remote&& remote) {
  if (const int code = check(call, iov, length); code != ok) return code;
  return transferred(call, [&]() -> int {
    const std::vector<Iov> lists = converted(iov, length);
    try {
      remote(std::span(lists));
    } catch (const armature::Error& error) {
      if (error.code() != armature::Errc::bad_address || proc != my_process()) throw;
      const Sorted sorted(lists, side, proc);
      remote(std::span(sorted.reachable));
      for (const Iov& piece : sorted.own) std::memmove(piece.to[0], piece.from[0], piece.bytes);
    }
    return ok;
  });
}

/// `add(lists, options)` adds the pieces.
template <class Add>
int accumulate(Call call, int datatype, const void* scale, const armci_giov_t* iov, int length,
               int proc, Add&& add) {
  if (const int code = check(call, iov, length); code != ok) return code;
  if (const int code = check_accumulate(call, datatype, scale, 0); code != ok) return code;
  for (const armci_giov_t& part : std::span(iov, static_cast<std::size_t>(length)))
    if (const int code = check_accumulate(call, datatype, scale, part.bytes); code != ok)
      return code;
  return transferred(call, [&]() -> int {
    const std::vector<Iov> lists = converted(iov, length);
    if (datatype != ARMCI_ACC_RA)
      with_element(datatype,
                   [&]<class T>() { add(std::span<const Iov>(lists), scaled_by<T>(scale)); });
    else
      combine_by_xor(Rank(proc), [&](auto&& row) {
        for (const Iov& part : lists)
          for (std::size_t i = 0; i < part.to.size(); ++i)
            row(part.to[i], part.from[i], part.bytes);
      });
    return ok;
  });
}

}  // namespace

extern "C" {

int PARMCI_PutV(armci_giov_t* iov, int iov_len, int proc) {
  return copy(Call::here(), iov, iov_len, proc, Side::to,
              [=](std::span<const Iov> lists) { armature::put_vector(Rank(proc), lists); });
}

int PARMCI_GetV(armci_giov_t* iov, int iov_len, int proc) {
  return copy(Call::here(), iov, iov_len, proc, Side::from,
              [=](std::span<const Iov> lists) { armature::get_vector(Rank(proc), lists); });
}

int PARMCI_AccV(int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc) {
  return accumulate(
      Call::here(), datatype, scale, iov, iov_len, proc,
      [=]<class T>(std::span<const Iov> lists, armature::AccumulateOptions<T> options) {
        armature::accumulate_vector<T>(Rank(proc), lists, options);
      });
}

int PARMCI_NbPutV(armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* handle) {
  return copy(Call::here(), iov, iov_len, proc, Side::to, [=](std::span<const Iov> lists) {
    if (handle == nullptr)
      armature::put_vector_nbi(Rank(proc), lists);
    else
      note(*handle, proc, armature::put_vector_async(Rank(proc), lists));
  });
}

int PARMCI_NbGetV(armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* handle) {
  return copy(Call::here(), iov, iov_len, proc, Side::from, [=](std::span<const Iov> lists) {
    if (handle == nullptr)
      armature::get_vector_nbi(Rank(proc), lists);
    else
      note(*handle, proc, armature::get_vector_async(Rank(proc), lists));
  });
}

int PARMCI_NbAccV(int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc,
                  armci_hdl_t* handle) {
  return accumulate(
      Call::here(), datatype, scale, iov, iov_len, proc,
      [=]<class T>(std::span<const Iov> lists, armature::AccumulateOptions<T> options) {
        if (handle == nullptr)
          armature::accumulate_vector_nbi<T>(Rank(proc), lists, options);
        else
          note(*handle, proc, armature::accumulate_vector_async<T>(Rank(proc), lists, options));
      });
}

}  // extern "C"

ARMCI_TWIN(PutV);
ARMCI_TWIN(GetV);
ARMCI_TWIN(AccV);
ARMCI_TWIN(NbPutV);
ARMCI_TWIN(NbGetV);
ARMCI_TWIN(NbAccV);

// Put, get and accumulate of bytes that lie together.

#include <cstring>

#include <armature/get.hpp>
#include <armature/layer/direct.hpp>
#include <armature/put.hpp>

#include "armci.h"
#include "calls.hpp"
#include "pending.hpp"
#include "transfer.hpp"

using namespace armci;
using armature::Aggregate;
using armature::global_ptr;
using armature::Rank;

namespace {

int check(Call call, const void* src, const void* dst, int bytes) {
  if (src == nullptr || dst == nullptr) return refuse(call, null_pointer, "no source or no target");
  if (bytes < 0) return refuse(call, bad_count, "a negative number of bytes");
  return ok;
}

// Made at once where nothing stands in the way; else false, and nothing is done. Neither a remote
// address that is null nor a negative number of bytes is anywhere reachable.

[[gnu::always_inline]] inline bool put_now(const void* src, void* dst, int bytes, int proc) {
  return src != nullptr &&
         armature::layer::put_direct(Rank(proc), dst, src, static_cast<std::size_t>(bytes));
}

[[gnu::always_inline]] inline bool get_now(const void* src, void* dst, int bytes, int proc) {
  return dst != nullptr &&
         armature::layer::get_direct(Rank(proc), dst, src, static_cast<std::size_t>(bytes));
}

/// The aggregate that such a request joins, if it is the next one of many. Where threads call at
/// any time each one needs the lock.
[[gnu::always_inline]] inline Aggregate* latest_of(const armci_hdl_t* handle, int proc) {
  const bool may_join = handle != nullptr && handle->aggregate != 0 && !threads_call();
  return may_join ? pending().latest(*handle, proc) : nullptr;
}

/// A put or get that could not be: `remote` does it, with `address` being the side at `proc`.
template <class Remote>
int copy(Call call, const void* src, void* dst, int bytes, int proc, const void* address,
         Remote&& remote) {
  if (const int code = check(call, src, dst, bytes); code != ok) return code;
  const auto count = static_cast<std::size_t>(bytes);
  return transfer(
      call, proc, address, [&] { remote(count); }, [&] { std::memmove(dst, src, count); });
}

// Their parameters are in the order of the functions that fall back on them, whose fast paths move
// no register for it.

[[gnu::noinline]] int get_slow(void* src, void* dst, int bytes, int proc, Call call) {
  return copy(call, src, dst, bytes, proc, src, [=](std::size_t count) {
    armature::get_bytes(dst, global_ptr<const void>(Rank(proc), src), count);
  });
}

[[gnu::noinline]] int nb_put_slow(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle,
                                  Call call) {
  return copy(call, src, dst, bytes, proc, dst, [=](std::size_t count) {
    const global_ptr<std::byte> to(Rank(proc), static_cast<std::byte*>(dst));
    const auto* from = static_cast<const std::byte*>(src);
    start(
        handle, proc, [=] { armature::put_nbi(to, from, count); },
        [=] { return armature::put_async(to, from, count); },
        [=](Aggregate& aggregate) { aggregate.put(to, from, count); });
  });
}

[[gnu::noinline]] int nb_get_slow(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle,
                                  Call call) {
  return copy(call, src, dst, bytes, proc, src, [=](std::size_t count) {
    const global_ptr<std::byte> from(Rank(proc), static_cast<std::byte*>(src));
    auto* to = static_cast<std::byte*>(dst);
    start(
        handle, proc, [=] { armature::get_nbi(to, from, count); },
        [=] { return armature::get_async(to, from, count); },
        [=](Aggregate& aggregate) { aggregate.get(to, from, count); });
  });
}

template <class Remote>
int accumulate(Call call, int datatype, const void* scale, const void* src, void* dst, int bytes,
               int proc, Remote&& remote) {
  if (const int code = check(call, src, dst, bytes); code != ok) return code;
  if (const int code = check_accumulate(call, datatype, scale, bytes); code != ok) return code;
  return transferred(call, [&]() -> int {
    const auto count = static_cast<std::size_t>(bytes);
    if (datatype == ARMCI_ACC_RA)
      combine_by_xor(Rank(proc), [=](auto&& row) { row(dst, src, count); });
    else
      with_element(datatype, [&]<class T>() {
        remote(global_ptr<T>(Rank(proc), static_cast<T*>(dst)), static_cast<const T*>(src),
               count / sizeof(T), scaled_by<T>(scale));
      });
    return ok;
  });
}

}  // namespace

[[gnu::noinline]] int armci::put(const void* src, void* dst, int bytes, int proc, Call call) {
  return copy(call, src, dst, bytes, proc, dst, [=](std::size_t count) {
    armature::put_bytes(global_ptr<void>(Rank(proc), dst), src, count);
  });
}

extern "C" {

int PARMCI_Put(void* src, void* dst, int bytes, int proc) {
  if (put_now(src, dst, bytes, proc)) [[likely]]
    return ok;
  return put(src, dst, bytes, proc, Call::here());
}

int PARMCI_Get(void* src, void* dst, int bytes, int proc) {
  if (get_now(src, dst, bytes, proc)) [[likely]]
    return ok;
  return get_slow(src, dst, bytes, proc, Call::here());
}

int PARMCI_Acc(int datatype, void* scale, void* src, void* dst, int bytes, int proc) {
  return accumulate(Call::here(), datatype, scale, src, dst, bytes, proc,
                    [](auto to, auto from, std::size_t count, auto options) {
                      armature::accumulate(to, from, count, options);
                    });
}

int PARMCI_NbPut(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle) {
  if (may_pass(handle) && put_now(src, dst, bytes, proc)) [[likely]]
    return ok;
  if (Aggregate* const aggregate = latest_of(handle, proc); aggregate != nullptr && src != nullptr)
    if (aggregate->note_put(dst, src, static_cast<std::size_t>(bytes))) return ok;
  return nb_put_slow(src, dst, bytes, proc, handle, Call::here());
}

int PARMCI_NbGet(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle) {
  if (may_pass(handle) && get_now(src, dst, bytes, proc)) [[likely]]
    return ok;
  if (Aggregate* const aggregate = latest_of(handle, proc); aggregate != nullptr && dst != nullptr)
    if (aggregate->note_get(dst, src, static_cast<std::size_t>(bytes))) return ok;
  return nb_get_slow(src, dst, bytes, proc, handle, Call::here());
}

int PARMCI_NbAcc(int datatype, void* scale, void* src, void* dst, int bytes, int proc,
                 armci_hdl_t* handle) {
  return accumulate(
      Call::here(), datatype, scale, src, dst, bytes, proc,
      [=](auto to, auto from, std::size_t count, auto options) {
        start(
            handle, proc, [=] { armature::accumulate_nbi(to, from, count, options); },
            [=] { return armature::accumulate_async(to, from, count, options); },
            [=](Aggregate& aggregate) { aggregate.accumulate(to, from, count, options); });
      });
}

/// Puts to one process take effect in order, so the flag cannot be seen before the data. The flag's
/// address is tried first, with a put of nothing.
int PARMCI_Put_flag(void* src, void* dst, int bytes, int* flag, int value, int proc) {
  const Call call = Call::here();
  if (const int code = put(&value, flag, 0, proc, call); code != ok) return code;
  if (const int code = put(src, dst, bytes, proc, call); code != ok) return code;
  return put(&value, flag, sizeof value, proc, call);
}

}  // extern "C"

ARMCI_TWIN(Put);
ARMCI_TWIN(Get);
ARMCI_TWIN(Acc);
ARMCI_TWIN(NbPut);
ARMCI_TWIN(NbGet);
ARMCI_TWIN(NbAcc);
ARMCI_TWIN(Put_flag);

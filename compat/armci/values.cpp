// Values in registers: put, get and read-modify-write of one number.

#include <cstdint>
#include <cstring>

#include <armature/atomic.hpp>
#include <armature/get.hpp>
#include <armature/layer/direct.hpp>
#include <armature/put.hpp>

#include "armci.h"
#include "calls.hpp"
#include "transfer.hpp"

using namespace armci;
using armature::global_ptr;
using armature::Rank;
using armature::layer::is_direct;

namespace {

template <class T>
bool aligned(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % alignof(T) == 0;
}

/// The slow path of a value that cannot simply be stored.
template <class T>
[[gnu::noinline]] int put_value_slow(Call call, T value, void* dst, int proc) {
  if (dst == nullptr) return refuse(call, null_pointer, "no target");
  const global_ptr<T> to(Rank(proc), static_cast<T*>(dst));
  return transfer(
      call, proc, dst, [=] { armature::put_bytes(to, &value, sizeof value); },
      [=] { std::memcpy(dst, &value, sizeof value); });
}

/// An aligned value moves as one; put_bytes, too, moves it so.
template <class T>
[[gnu::always_inline]] inline int put_value(Call call, T value, void* dst, int proc) {
  if (dst != nullptr && aligned<T>(dst) && is_direct<sizeof(T)>(Rank(proc), dst)) [[likely]] {
    armature::layer::store(static_cast<T*>(dst), value);
    return ok;
  }
  return put_value_slow(call, value, dst, proc);
}

/// There is no room for a code in what is returned: a wrong address ends the job.
template <class T>
T get_value(const char* call, const void* src, int proc) {
  T value{};
  insisted(call, [&] {
    const global_ptr<const T> from(Rank(proc), static_cast<const T*>(src));
    if (aligned<T>(src) && is_direct<sizeof(T)>(from.rank(), src)) [[likely]]
      value = armature::layer::load<T>(from.address());
    else if (src != nullptr && is_private(proc, src))
      std::memcpy(&value, src, sizeof value);
    else
      armature::get_bytes(&value, from, sizeof value);
  });
  return value;
}

template <class T>
void modify(bool swap, void* ploc, void* prem, int value, int proc) {
  const global_ptr<T> at(Rank(proc), static_cast<T*>(prem));
  T local{};
  std::memcpy(&local, ploc, sizeof local);
  local = swap ? armature::swap(at, local) : armature::fetch_add(at, static_cast<T>(value));
  std::memcpy(ploc, &local, sizeof local);
}

}  // namespace

extern "C" {

int PARMCI_PutValueInt(int src, void* dst, int proc) {
  return put_value(Call::here(), src, dst, proc);
}
int PARMCI_PutValueLong(long src, void* dst, int proc) {
  return put_value(Call::here(), src, dst, proc);
}
int PARMCI_PutValueFloat(float src, void* dst, int proc) {
  return put_value(Call::here(), src, dst, proc);
}
int PARMCI_PutValueDouble(double src, void* dst, int proc) {
  return put_value(Call::here(), src, dst, proc);
}

// The value lies in this call's frame, so it cannot wait for a handle to be waited for.
int PARMCI_NbPutValueInt(int src, void* dst, int proc, armci_hdl_t* /*handle*/) {
  return put_value(Call::here(), src, dst, proc);
}
int PARMCI_NbPutValueLong(long src, void* dst, int proc, armci_hdl_t* /*handle*/) {
  return put_value(Call::here(), src, dst, proc);
}
int PARMCI_NbPutValueFloat(float src, void* dst, int proc, armci_hdl_t* /*handle*/) {
  return put_value(Call::here(), src, dst, proc);
}
int PARMCI_NbPutValueDouble(double src, void* dst, int proc, armci_hdl_t* /*handle*/) {
  return put_value(Call::here(), src, dst, proc);
}

int PARMCI_GetValueInt(void* src, int proc) { return get_value<int>(__func__, src, proc); }
long PARMCI_GetValueLong(void* src, int proc) { return get_value<long>(__func__, src, proc); }
float PARMCI_GetValueFloat(void* src, int proc) { return get_value<float>(__func__, src, proc); }
double PARMCI_GetValueDouble(void* src, int proc) { return get_value<double>(__func__, src, proc); }

int PARMCI_Rmw(int op, void* ploc, void* prem, int value, int proc) {
  const Call call = Call::here();
  if (ploc == nullptr || prem == nullptr)
    return refuse(call, null_pointer, "no local or no remote integer");
  if (op < ARMCI_FETCH_AND_ADD || op > ARMCI_SWAP_LONG)
    return refuse(call, bad_kind, "no such operation");
  const bool swap = op == ARMCI_SWAP || op == ARMCI_SWAP_LONG;
  const bool is_long = op == ARMCI_FETCH_AND_ADD_LONG || op == ARMCI_SWAP_LONG;
  return transferred(call, [=]() -> int {
    is_long ? modify<long>(swap, ploc, prem, value, proc)
            : modify<int>(swap, ploc, prem, value, proc);
    return ok;
  });
}

}  // extern "C"

ARMCI_TWIN(PutValueInt);
ARMCI_TWIN(PutValueLong);
ARMCI_TWIN(PutValueFloat);
ARMCI_TWIN(PutValueDouble);
ARMCI_TWIN(NbPutValueInt);
ARMCI_TWIN(NbPutValueLong);
ARMCI_TWIN(NbPutValueFloat);
ARMCI_TWIN(NbPutValueDouble);
ARMCI_TWIN(GetValueInt);
ARMCI_TWIN(GetValueLong);
ARMCI_TWIN(GetValueFloat);
ARMCI_TWIN(GetValueDouble);
ARMCI_TWIN(Rmw);

#include "transfer.hpp"

#include <armature/atomic.hpp>
#include <armature/virtual.hpp>

#include "job.hpp"

namespace armci {

bool is_private(int proc, const void* address) {
  return armature::is_private(address) && proc == my_process();
}

std::size_t element_bytes(int datatype) {
  switch (datatype) {
    case ARMCI_ACC_INT:
      return sizeof(int);
    case ARMCI_ACC_LNG:
      return sizeof(long);
    case ARMCI_ACC_FLT:
      return sizeof(float);
    case ARMCI_ACC_DBL:
      return sizeof(double);
    case ARMCI_ACC_CPL:
      return 2 * sizeof(float);
    case ARMCI_ACC_DCP:
      return 2 * sizeof(double);
    case ARMCI_ACC_RA:
      return sizeof(long);
    default:
      return 0;
  }
}

int check_accumulate(Call call, int datatype, const void* scale, int bytes) {
  const std::size_t element = element_bytes(datatype);
  if (element == 0) return refuse(call, bad_kind, "the datatype is none of ARMCI_ACC_...");
  if (scale == nullptr && datatype != ARMCI_ACC_RA)
    return refuse(call, null_pointer, "no scale factor");
  if (static_cast<std::size_t>(bytes) % element != 0)
    return refuse(call, bad_count, "the bytes are not a whole number of elements");
  return ok;
}

void require_row(armature::Rank rank, void* to, std::size_t bytes) {
  const std::size_t count = bytes / sizeof(long);
  const armature::global_ptr<long> target(rank, static_cast<long*>(to));
  if (count > 0) armature::fetch_xor(target, 0);
  if (count > 1) armature::fetch_xor(target + static_cast<std::ptrdiff_t>(count - 1), 0);
}

void combine_row(armature::Rank rank, void* to, const void* from, std::size_t bytes) {
  const std::size_t count = bytes / sizeof(long);
  const armature::global_ptr<long> target(rank, static_cast<long*>(to));
  for (std::size_t i = 0; i < count; ++i) {
    long value = 0;
    std::memcpy(&value, static_cast<const char*>(from) + i * sizeof value, sizeof value);
    armature::fetch_xor(target + static_cast<std::ptrdiff_t>(i), value);
  }
}

}  // namespace armci

// Walking over the segments of a section, and packing by it. The first dimension turns fastest.

#include <cstring>

#include <armature/error.hpp>

#include "armci.h"
#include "calls.hpp"

using namespace armci;

namespace {

/// Puts the section's bytes and the dense buffer's, segment by segment, before `copy`.
template <class Copy>
void for_each_segment(const char* call, void* section, int stride_levels, const int* stride_ar,
                      const int* count, char* buf, Copy&& copy) {
  if (buf == nullptr) fatal(call, null_pointer, "no buffer");
  stride_info_t info;
  armci_stride_info_init(&info, section, stride_levels, stride_ar, count);
  const auto bytes = static_cast<std::size_t>(armci_stride_info_seg_size(&info));
  for (; armci_stride_info_has_more(&info); armci_stride_info_next(&info)) {
    copy(static_cast<char*>(armci_stride_info_seg_ptr(&info)), buf, bytes);
    buf += bytes;
  }
}

std::ptrdiff_t offset_of(const stride_info_t* info) {
  std::ptrdiff_t offset = 0;
  for (int level = 0; level < info->stride_levels; ++level)
    offset += std::ptrdiff_t{info->itr[level]} * info->stride_arr[level];
  return offset;
}

}  // namespace

extern "C" {

void armci_stride_info_init(stride_info_t* info, void* section, int stride_levels,
                            const int* stride_ar, const int* count) {
  insisted(__func__, [=] {
    const bool arrays = count != nullptr && (stride_ar != nullptr || stride_levels == 0);
    if (info == nullptr || section == nullptr || !arrays || stride_levels < 0 ||
        stride_levels > ARMCI_MAX_STRIDE_LEVEL)
      throw armature::Error(armature::Errc::bad_argument,
                            "a section, counts, strides and 0 to 8 levels are needed");
    *info = {};
    info->base_ptr = static_cast<char*>(section);
    info->stride_levels = stride_levels;
    info->size = 1;
    for (int level = 0; level <= stride_levels; ++level) {
      if (count[level] < 0) throw armature::Error(armature::Errc::bad_argument, "a negative count");
      info->seg_count[level] = count[level];
      if (level > 0) info->stride_arr[level - 1] = stride_ar[level - 1];
      if (level > 0 && __builtin_mul_overflow(info->size, count[level], &info->size))
        throw armature::Error(armature::Errc::bad_argument, "more segments than an int can count");
    }
  });
}

void armci_stride_info_destroy(stride_info_t* /*info*/) {}

int armci_stride_info_size(stride_info_t* info) { return info->size; }
int armci_stride_info_count(stride_info_t* info) { return info->size; }
int armci_stride_info_pos(stride_info_t* info) { return info->pos; }
int armci_stride_info_seg_size(stride_info_t* info) { return info->seg_count[0]; }
int armci_stride_info_has_more(stride_info_t* info) { return info->pos < info->size ? 1 : 0; }

void armci_stride_info_next(stride_info_t* info) {
  if (info->pos >= info->size) return;
  ++info->pos;
  for (int level = 0; level < info->stride_levels; ++level) {
    if (++info->itr[level] < info->seg_count[level + 1]) return;
    info->itr[level] = 0;
  }
}

void* armci_stride_info_seg_ptr(stride_info_t* info) { return info->base_ptr + offset_of(info); }

int armci_stride_info_seg_off(stride_info_t* info) { return static_cast<int>(offset_of(info)); }

void armci_write_strided(void* section, int stride_levels, int stride_ar[], int count[],
                         char* buf) {
  for_each_segment(__func__, section, stride_levels, stride_ar, count, buf,
                   [](const char* segment, char* dense, std::size_t bytes) {
                     std::memcpy(dense, segment, bytes);
                   });
}

void armci_read_strided(void* section, int stride_levels, int stride_ar[], int count[], char* buf) {
  for_each_segment(__func__, section, stride_levels, stride_ar, count, buf,
                   [](char* segment, const char* dense, std::size_t bytes) {
                     std::memcpy(segment, dense, bytes);
                   });
}

}  // extern "C"

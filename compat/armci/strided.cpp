// Put, get and accumulate of sections of multidimensional arrays.

#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include <armature/accumulate.hpp>
#include <armature/strided.hpp>

#include "armci.h"
#include "calls.hpp"
#include "pending.hpp"
#include "transfer.hpp"

using namespace armci;
using armature::Aggregate;
using armature::global_ptr;
using armature::Rank;
using armature::Strided;

namespace {

static_assert(ARMCI_MAX_STRIDE_LEVEL == Strided::levels_max);

/// The classical description of a section: as the caller gave it, and as Armature has it.
struct Section {
  void* src;
  const int* src_strides;
  void* dst;
  const int* dst_strides;
  const int* count;
  int levels;

  [[nodiscard]] int check(Call call) const;
  /// Fills in what shape() refers to; after check().
  void convert();
  [[nodiscard]] Strided shape() const;
  /// Calls body(to, from, bytes) for each row.
  template <class Body>
  void for_each_row(Body&& body) const;

  std::array<std::size_t, Strided::levels_max + 1> counts{};
  std::array<std::ptrdiff_t, Strided::levels_max> to{};
  std::array<std::ptrdiff_t, Strided::levels_max> from{};
};

int Section::check(Call call) const {
  if (src == nullptr || dst == nullptr) return refuse(call, null_pointer, "no source or no target");
  if (levels < 0 || levels > ARMCI_MAX_STRIDE_LEVEL)
    return refuse(call, bad_levels, "the stride levels are not in 0 .. 8");
  if (count == nullptr || (levels > 0 && (src_strides == nullptr || dst_strides == nullptr)))
    return refuse(call, bad_kind, "no counts or no strides");
  for (int level = 0; level <= levels; ++level)
    if (count[level] < 0) return refuse(call, bad_count, "a negative count");
  return ok;
}

void Section::convert() {
  for (int level = 0; level <= levels; ++level)
    counts[static_cast<std::size_t>(level)] = static_cast<std::size_t>(count[level]);
  for (int level = 0; level < levels; ++level) {
    to[static_cast<std::size_t>(level)] = dst_strides[level];
    from[static_cast<std::size_t>(level)] = src_strides[level];
  }
}

Strided Section::shape() const {
  const auto depth = static_cast<std::size_t>(levels);
  return {.counts = std::span(counts).first(depth + 1),
          .to_strides = std::span(to).first(depth),
          .from_strides = std::span(from).first(depth)};
}

template <class Body>
void Section::for_each_row(Body&& body) const {
  stride_info_t source;
  stride_info_t target;
  armci_stride_info_init(&source, src, levels, src_strides, count);
  armci_stride_info_init(&target, dst, levels, dst_strides, count);
  for (; armci_stride_info_has_more(&source); armci_stride_info_next(&source)) {
    body(armci_stride_info_seg_ptr(&target), armci_stride_info_seg_ptr(&source), counts[0]);
    armci_stride_info_next(&target);
  }
}

/// A put or get: `remote` does it, with `address` being the side at `proc`.
template <class Remote>
int copy(Call call, Section section, int proc, const void* address, Remote&& remote) {
  if (const int code = section.check(call); code != ok) return code;
  section.convert();
  return transfer(
      call, proc, address, [&] { remote(section.shape()); },
      [&] {
        section.for_each_row(
            [](void* to, const void* from, std::size_t bytes) { std::memmove(to, from, bytes); });
      });
}

int put_section(Call call, Section section, int proc) {
  return copy(call, section, proc, section.dst, [&](const Strided& shape) {
    armature::put_strided(global_ptr<void>(Rank(proc), section.dst), section.src, shape);
  });
}

/// `add(to, from, shape, options)` adds the section.
template <class Add>
int accumulate(Call call, int datatype, const void* scale, Section section, int proc, Add&& add) {
  if (const int code = section.check(call); code != ok) return code;
  if (const int code = check_accumulate(call, datatype, scale, section.count[0]); code != ok)
    return code;
  section.convert();
  return transferred(call, [&]() -> int {
    if (datatype == ARMCI_ACC_RA)
      combine_by_xor(Rank(proc), [&](auto&& row) { section.for_each_row(row); });
    else
      with_element(datatype, [&]<class T>() {
        add(global_ptr<T>(Rank(proc), static_cast<T*>(section.dst)),
            static_cast<const T*>(section.src), section.shape(), scaled_by<T>(scale));
      });
    return ok;
  });
}

/// The flag's address is tried first, with a put of nothing.
int put_section_and_flag(Call call, Section section, int* flag, int value, int proc) {
  if (const int code = put(&value, flag, 0, proc, call); code != ok) return code;
  if (const int code = put_section(call, section, proc); code != ok) return code;
  return put(&value, flag, sizeof value, proc, call);
}

}  // namespace

extern "C" {

int PARMCI_PutS(void* src, int src_stride_ar[], void* dst, int dst_stride_ar[], int count[],
                int stride_levels, int proc) {
  return put_section(Call::here(), {src, src_stride_ar, dst, dst_stride_ar, count, stride_levels},
                     proc);
}

int PARMCI_GetS(void* src, int src_stride_ar[], void* dst, int dst_stride_ar[], int count[],
                int stride_levels, int proc) {
  return copy(Call::here(), {src, src_stride_ar, dst, dst_stride_ar, count, stride_levels}, proc,
              src, [=](const Strided& shape) {
                armature::get_strided(dst, global_ptr<const void>(Rank(proc), src), shape);
              });
}

int PARMCI_AccS(int datatype, void* scale, void* src, int src_stride_ar[], void* dst,
                int dst_stride_ar[], int count[], int stride_levels, int proc) {
  return accumulate(Call::here(), datatype, scale,
                    {src, src_stride_ar, dst, dst_stride_ar, count, stride_levels}, proc,
                    [](auto to, auto from, const Strided& shape, auto options) {
                      armature::accumulate_strided(to, from, shape, options);
                    });
}

int PARMCI_NbPutS(void* src, int src_stride_ar[], void* dst, int dst_stride_ar[], int count[],
                  int stride_levels, int proc, armci_hdl_t* handle) {
  return copy(Call::here(), {src, src_stride_ar, dst, dst_stride_ar, count, stride_levels}, proc,
              dst, [=](const Strided& shape) {
                const global_ptr<void> to(Rank(proc), dst);
                if (handle == nullptr)
                  armature::put_strided_nbi(to, src, shape);
                else
                  note(*handle, proc, armature::put_strided_async(to, src, shape));
              });
}

int PARMCI_NbGetS(void* src, int src_stride_ar[], void* dst, int dst_stride_ar[], int count[],
                  int stride_levels, int proc, armci_hdl_t* handle) {
  return copy(Call::here(), {src, src_stride_ar, dst, dst_stride_ar, count, stride_levels}, proc,
              src, [=](const Strided& shape) {
                const global_ptr<const void> from(Rank(proc), src);
                if (handle == nullptr)
                  armature::get_strided_nbi(dst, from, shape);
                else
                  note(*handle, proc, armature::get_strided_async(dst, from, shape));
              });
}

int PARMCI_NbAccS(int datatype, void* scale, void* src, int src_stride_ar[], void* dst,
                  int dst_stride_ar[], int count[], int stride_levels, int proc,
                  armci_hdl_t* handle) {
  return accumulate(
      Call::here(), datatype, scale, {src, src_stride_ar, dst, dst_stride_ar, count, stride_levels},
      proc, [=](auto to, auto from, const Strided& shape, auto options) {
        if (handle == nullptr)
          armature::accumulate_strided_nbi(to, from, shape, options);
        else
          note(*handle, proc, armature::accumulate_strided_async(to, from, shape, options));
      });
}

int PARMCI_PutS_flag(void* src, int src_stride_ar[], void* dst, int dst_stride_ar[], int count[],
                     int stride_levels, int* flag, int value, int proc) {
  return put_section_and_flag(Call::here(),
                              {src, src_stride_ar, dst, dst_stride_ar, count, stride_levels}, flag,
                              value, proc);
}

int PARMCI_PutS_flag_dir(void* src, int src_stride_ar[], void* dst, int dst_stride_ar[],
                         int count[], int stride_levels, int* flag, int value, int proc) {
  return put_section_and_flag(Call::here(),
                              {src, src_stride_ar, dst, dst_stride_ar, count, stride_levels}, flag,
                              value, proc);
}

}  // extern "C"

ARMCI_TWIN(PutS);
ARMCI_TWIN(GetS);
ARMCI_TWIN(AccS);
ARMCI_TWIN(NbPutS);
ARMCI_TWIN(NbGetS);
ARMCI_TWIN(NbAccS);
ARMCI_TWIN(PutS_flag);
ARMCI_TWIN(PutS_flag_dir);

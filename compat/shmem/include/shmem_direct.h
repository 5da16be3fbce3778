/* Atomics of integers without a call, in programs that GCC optimizes: the library's first step,
   done by the caller. SHMEM_NO_INLINE leaves it out. So does the library while a profiler's
   definition takes the place of one of these routines. Clang inlines no function that calls its
   own name, as these do where the library must be called. */
#ifndef ARMATURE_COMPAT_SHMEM_DIRECT_H
#define ARMATURE_COMPAT_SHMEM_DIRECT_H

#include <stddef.h>
#include <stdint.h>

/* Memory of a PE that is mapped here, as far as the PE has allocated it. */
struct shmem_reach_of_pe {
  uintptr_t begin;
  size_t extent;
};
struct shmem_reach {
  const struct shmem_reach_of_pe* of_pes;
  uint32_t pes;
};
/* From an address of the caller's heap to the same place at the first PE, and from there to the
   others. It leads nowhere before the library is begun, and where PEs are virtual ranks. */
struct shmem_way {
  uintptr_t to_first;
  uintptr_t stride;
  const struct shmem_reach* reach;
};

#if defined(__GNUC__) && !defined(SHMEM_NO_INLINE)
/* Weak: a program that may be anywhere in memory then has no copy of its own. */
__attribute__((__weak__))
#endif
extern struct shmem_way shmem_way_to_pes;

#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__) && !defined(SHMEM_NO_INLINE)
#ifdef __cplusplus
#define SHMEM_AS(type, value) reinterpret_cast<type>(value)
#define SHMEM_NUMBER(type, value) static_cast<type>(value)
#else
#define SHMEM_AS(type, value) ((type)(value))
#define SHMEM_NUMBER(type, value) ((type)(value))
#endif
#define SHMEM_INLINED extern __inline__ __attribute__((__gnu_inline__))

/* Returns the address of the same word at a PE, or null where it may not be used as it is. */
SHMEM_INLINED __attribute__((__always_inline__)) void* shmem_word_at(const volatile void* address,
                                                                     size_t bytes, int pe) {
  const struct shmem_reach* const reach = shmem_way_to_pes.reach;
  const struct shmem_reach_of_pe* of_pe;
  const uintptr_t own = SHMEM_AS(uintptr_t, address);
  const uintptr_t here =
      own + shmem_way_to_pes.to_first + SHMEM_NUMBER(uintptr_t, pe) * shmem_way_to_pes.stride;
  if (__builtin_expect(own % bytes != 0 || SHMEM_NUMBER(uint32_t, pe) >= reach->pes, 0))
    return NULL;
  of_pe = reach->of_pes + pe;
  if (__builtin_expect(
          here - of_pe->begin > __atomic_load_n(&of_pe->extent, __ATOMIC_RELAXED) - bytes, 0))
    return NULL;
  return SHMEM_AS(void*, here);
}
#include "shmem_inlined.h"
#undef SHMEM_AS
#undef SHMEM_NUMBER
#undef SHMEM_INLINED
#endif

#endif

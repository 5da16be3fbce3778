/* Atomics of integers, puts of a word with a signal, and the first looks of a wait, without a call,
   in programs that GCC optimizes: the library's first step, done by the caller. SHMEM_NO_INLINE
   leaves it out. So does the library while a profiler's definition takes the place of one of these
   routines, and an older library, which has no way to tell. Clang inlines no function that calls
   its own name, as these do where the library must be called.
   All names here are reserved, for a program may have a macro of any other one. */
#ifndef ARMATURE_COMPAT_SHMEM_DIRECT_H
#define ARMATURE_COMPAT_SHMEM_DIRECT_H

#include <stddef.h>
#include <stdint.h>

/* Memory of a PE that is mapped here, as far as the PE has allocated it. */
struct shmem_reach_of_pe {
  uintptr_t shmem_begin;
  size_t shmem_extent;
};
struct shmem_reach {
  const struct shmem_reach_of_pe* shmem_of_pes;
  uint32_t shmem_pes;
};
/* From an address of the caller's heap to the same place at the first PE, and from there to the
   others. It leads nowhere before the library is begun, and where PEs are virtual ranks. */
struct shmem_way {
  uintptr_t shmem_to_first;
  uintptr_t shmem_stride;
  const struct shmem_reach* shmem_of;
  int shmem_looks; /* of a wait, before the library is called */
};

#if defined(__GNUC__) && !defined(SHMEM_NO_INLINE)
/* Weak: a program that may be anywhere in memory then has no copy of its own, and an older library
   has none of these. */
#define SHMEM_WEAK __attribute__((__weak__))
#else
#define SHMEM_WEAK
#endif
SHMEM_WEAK extern struct shmem_way shmem_direct_way;
/* Wakes a PE that sleeps until a signal comes, behind the store of one. */
SHMEM_WEAK void shmem_wake_pe(int __pe);

#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__) && !defined(SHMEM_NO_INLINE)
#ifdef __cplusplus
#define SHMEM_AS(type, value) reinterpret_cast<type>(value)
#define SHMEM_NUMBER(type, value) static_cast<type>(value)
#else
#define SHMEM_AS(type, value) ((type)(value))
#define SHMEM_NUMBER(type, value) ((type)(value))
#endif
#define SHMEM_INLINED extern __inline__ __attribute__((__gnu_inline__))
#define SHMEM_STEP SHMEM_INLINED __attribute__((__always_inline__))

/* Returns the address of the same word at a PE, or null where it may not be used as it is. */
SHMEM_STEP void* shmem_word_at(const volatile void* __address, size_t __bytes, int __pe) {
  const struct shmem_reach* __reach;
  const struct shmem_reach_of_pe* __of_pe;
  const uintptr_t __own = SHMEM_AS(uintptr_t, __address);
  uintptr_t __there;
  if (__builtin_expect(&shmem_direct_way == NULL, 0)) return NULL;
  __reach = shmem_direct_way.shmem_of;
  __there = __own + shmem_direct_way.shmem_to_first +
            SHMEM_NUMBER(uintptr_t, __pe) * shmem_direct_way.shmem_stride;
  if (__builtin_expect(__own % __bytes != 0 || SHMEM_NUMBER(uint32_t, __pe) >= __reach->shmem_pes,
                       0))
    return NULL;
  __of_pe = __reach->shmem_of_pes + __pe;
  if (__builtin_expect(__there - __of_pe->shmem_begin >
                           __atomic_load_n(&__of_pe->shmem_extent, __ATOMIC_RELAXED) - __bytes,
                       0))
    return NULL;
  return SHMEM_AS(void*, __there);
}

/* Whether a word has been put, and its signal. Nothing has been done else. */
SHMEM_STEP int shmem_has_put_word(void* __dest, const void* __source, size_t __bytes,
                                  uint64_t* __sig_addr, uint64_t __signal, int __sig_op, int __pe) {
  uint64_t __word;
  void* __to;
  uint64_t* __sig;
  if (__bytes != sizeof __word) return 0;
  __to = shmem_word_at(__dest, sizeof __word, __pe);
  __sig = SHMEM_NUMBER(uint64_t*, shmem_word_at(__sig_addr, sizeof *__sig_addr, __pe));
  if (__builtin_expect(!__to || !__sig, 0)) return 0;
  if (__sig_op != SHMEM_SIGNAL_SET && __sig_op != SHMEM_SIGNAL_ADD) return 0;
  /* In order behind what was put before, as the signal is behind the word. */
  __atomic_thread_fence(__ATOMIC_RELEASE);
  __builtin_memcpy(__to, __source, sizeof __word);
  if (__sig_op == SHMEM_SIGNAL_SET)
    __atomic_store_n(__sig, __signal, __ATOMIC_RELEASE);
  else
    (void)__atomic_fetch_add(__sig, __signal, __ATOMIC_RELEASE);
  shmem_wake_pe(__pe);
  return 1;
}

/* How often a wait looks at a word by itself, before the library waits for it. */
SHMEM_STEP int shmem_looks_at(const volatile void* __word, size_t __bytes) {
  if (__builtin_expect(
          &shmem_direct_way == NULL || !__word || SHMEM_AS(uintptr_t, __word) % __bytes != 0, 0))
    return 0;
  return shmem_direct_way.shmem_looks;
}
#define SHMEM_COMPARES(seen, cmp, value)       \
  ((cmp) == SHMEM_CMP_EQ   ? (seen) == (value) \
   : (cmp) == SHMEM_CMP_NE ? (seen) != (value) \
   : (cmp) == SHMEM_CMP_GT ? (seen) > (value)  \
   : (cmp) == SHMEM_CMP_GE ? (seen) >= (value) \
   : (cmp) == SHMEM_CMP_LT ? (seen) < (value)  \
   : (cmp) == SHMEM_CMP_LE ? (seen) <= (value) \
                           : 0)
#include "shmem_inlined.h"
#undef SHMEM_AS
#undef SHMEM_NUMBER
#undef SHMEM_INLINED
#undef SHMEM_STEP
#undef SHMEM_COMPARES
#endif
#undef SHMEM_WEAK

#endif

/* OpenSHMEM 1.6 on Armature, for C and C++. The routines' declarations, C11 generics and C++
   overloads are generated from a table when the library is built. */
#ifndef ARMATURE_COMPAT_SHMEM_H
#define ARMATURE_COMPAT_SHMEM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
/* Programs may include this header as C's. */
extern "C++" {
#include <complex>
typedef std::complex<float> shmem_complexf_t;
typedef std::complex<double> shmem_complexd_t;
}
#ifdef __GNUC__
/* C's complex numbers, which these compilers have in C++, too. */
__extension__ typedef float _Complex shmem_c_complexf_t;
__extension__ typedef double _Complex shmem_c_complexd_t;
#endif
#else
typedef float _Complex shmem_complexf_t;
typedef double _Complex shmem_complexd_t;
#endif

#define SHMEM_MAJOR_VERSION 1
#define SHMEM_MINOR_VERSION 6
#define SHMEM_MAX_NAME_LEN 64
#define SHMEM_VENDOR_STRING "Armature"

enum {
  SHMEM_THREAD_SINGLE = 0,
  SHMEM_THREAD_FUNNELED = 1,
  SHMEM_THREAD_SERIALIZED = 2,
  SHMEM_THREAD_MULTIPLE = 3
};
#define SHMEM_THREAD_SINGLE SHMEM_THREAD_SINGLE
#define SHMEM_THREAD_FUNNELED SHMEM_THREAD_FUNNELED
#define SHMEM_THREAD_SERIALIZED SHMEM_THREAD_SERIALIZED
#define SHMEM_THREAD_MULTIPLE SHMEM_THREAD_MULTIPLE

#define SHMEM_CMP_EQ 1
#define SHMEM_CMP_NE 2
#define SHMEM_CMP_GT 3
#define SHMEM_CMP_GE 4
#define SHMEM_CMP_LT 5
#define SHMEM_CMP_LE 6
#define SHMEM_SIGNAL_SET 0
#define SHMEM_SIGNAL_ADD 1

#define SHMEM_MALLOC_ATOMICS_REMOTE 1L
#define SHMEM_MALLOC_SIGNAL_REMOTE 2L

/* Teams and contexts are known by pointers to what is never seen; the smallest numbers are those
   that are there from the start. */
typedef struct shmem_team_s* shmem_team_t;
typedef struct shmem_ctx_s* shmem_ctx_t;
#define SHMEM_TEAM_INVALID ((shmem_team_t)0)
#define SHMEM_TEAM_WORLD ((shmem_team_t)1)
#define SHMEM_TEAM_SHARED ((shmem_team_t)2)
#define SHMEM_CTX_INVALID ((shmem_ctx_t)0)
#define SHMEM_CTX_DEFAULT ((shmem_ctx_t)1)
#define SHMEM_CTX_SERIALIZED 1L
#define SHMEM_CTX_PRIVATE 2L
#define SHMEM_CTX_NOSTORE 4L
#define SHMEM_CTX_SESSION_BATCH 1L
#define SHMEM_CTX_SESSION_TOTAL_OPS 1L
#define SHMEM_TEAM_NUM_CONTEXTS 1L

typedef struct {
  int num_contexts;
} shmem_team_config_t;
typedef struct {
  size_t total_ops;
} shmem_ctx_session_config_t;

/* Work arrays of collectives over active sets: nothing is kept in them. */
#define SHMEM_SYNC_VALUE 0L
#define SHMEM_SYNC_SIZE 1
#define SHMEM_BARRIER_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_BCAST_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_COLLECT_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALL_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALLS_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_MIN_WRKDATA_SIZE 1

/* Deprecated names. */
#define _SHMEM_MAJOR_VERSION SHMEM_MAJOR_VERSION
#define _SHMEM_MINOR_VERSION SHMEM_MINOR_VERSION
#define _SHMEM_MAX_NAME_LEN SHMEM_MAX_NAME_LEN
#define _SHMEM_VENDOR_STRING SHMEM_VENDOR_STRING
#define _SHMEM_CMP_EQ SHMEM_CMP_EQ
#define _SHMEM_CMP_NE SHMEM_CMP_NE
#define _SHMEM_CMP_GT SHMEM_CMP_GT
#define _SHMEM_CMP_GE SHMEM_CMP_GE
#define _SHMEM_CMP_LT SHMEM_CMP_LT
#define _SHMEM_CMP_LE SHMEM_CMP_LE
#define _SHMEM_SYNC_VALUE SHMEM_SYNC_VALUE
#define _SHMEM_SYNC_SIZE SHMEM_SYNC_SIZE
#define _SHMEM_BARRIER_SYNC_SIZE SHMEM_BARRIER_SYNC_SIZE
#define _SHMEM_BCAST_SYNC_SIZE SHMEM_BCAST_SYNC_SIZE
#define _SHMEM_COLLECT_SYNC_SIZE SHMEM_COLLECT_SYNC_SIZE
#define _SHMEM_REDUCE_SYNC_SIZE SHMEM_REDUCE_SYNC_SIZE
#define _SHMEM_ALLTOALL_SYNC_SIZE SHMEM_ALLTOALL_SYNC_SIZE
#define _SHMEM_ALLTOALLS_SYNC_SIZE SHMEM_ALLTOALLS_SYNC_SIZE
#define _SHMEM_REDUCE_MIN_WRKDATA_SIZE SHMEM_REDUCE_MIN_WRKDATA_SIZE

/* Programs of old are many, and do as they did: deprecated routines are marked where it is asked
 * for. */
#if defined(SHMEM_WARN_DEPRECATED) && defined(__GNUC__)
#define SHMEM_DEPRECATED __attribute__((__deprecated__))
#else
#define SHMEM_DEPRECATED
#endif
#if defined(__GNUC__)
#define SHMEM_NORETURN __attribute__((__noreturn__))
#else
#define SHMEM_NORETURN
#endif

#ifdef __cplusplus
extern "C" {
#endif
#include "shmem_routines.h"
/* Definitions come after declarations, or each would be declared twice. */
#include "shmem_direct.h"
#ifdef __cplusplus
}
#endif

#if defined(__cplusplus)
extern "C++" {
#include "shmem_generic_cpp.h"
}
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#include "shmem_generic_c.h"
#endif

#endif

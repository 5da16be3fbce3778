#ifndef ARMATURE_TESTS_SHMEM_STATICS_H
#define ARMATURE_TESTS_SHMEM_STATICS_H

#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A failure ends the job, so that nobody waits for the PE. */
#define CHECK(condition)                                                                    \
  do {                                                                                      \
    if (!(condition)) {                                                                     \
      fprintf(stderr, "PE %d: %s:%d: %s\n", shmem_my_pe(), __FILE__, __LINE__, #condition); \
      shmem_global_exit(3);                                                                 \
    }                                                                                       \
  } while (0)
/* Behind shmem_finalize. */
#define CHECK_AFTER(condition)                                        \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(4);                                                        \
    }                                                                 \
  } while (0)

#ifdef __cplusplus
extern "C"
#endif
    void
    test_statics_of_cpp(void);

#endif

#ifndef ARMATURE_TESTS_SHMEM_STATICS_H
#define ARMATURE_TESTS_SHMEM_STATICS_H

#include <stdint.h>

#include "../require.h"

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

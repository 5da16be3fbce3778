/* The condition of a test of OpenSHMEM, which ends the job where it does not hold. */
#ifndef ARMATURE_TESTS_SHMEM_REQUIRE_H
#define ARMATURE_TESTS_SHMEM_REQUIRE_H

#include <shmem.h>
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

#endif

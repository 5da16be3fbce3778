/* Helpers of OpenSHMEM's conformance tests. */
#ifndef ARMATURE_TESTS_SHMEM_CHECK_H
#define ARMATURE_TESTS_SHMEM_CHECK_H

#include "require.h"
#include "types.h"

enum { ELEMENTS = 8 };

/* Cleared symmetric memory, at all PEs. */
void* fresh(size_t bytes);

void test_job(void);
void test_memory(void);
void test_puts_and_gets(void);
void test_strides(void);
void test_sizes(void);
void test_signals(void);
void test_atomics(void);
void test_old_atomics(void);
void test_waiting(void);
void test_teams(void);
void test_contexts(void);
void test_collectives(void);
void test_old_collectives(void);
void test_reductions(void);
void test_old_reductions(void);
void test_locks(void);
void test_generics(void);
void test_generics_of_cpp(void);
void make_mistake(const char* name);

#endif

/* The semantics of one-sided memory through the C interface. Every test is a small function that
   all processes run together; a failed check is noted and the test goes on, since a process that
   left early would leave the others waiting. */
#ifndef CONFORMANCE_C_HARNESS_H
#define CONFORMANCE_C_HARNESS_H

#include <armci.h>
#include <armcix.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char* name;
  void (*run)(void);
} test_case;

/* Each file's tests, ended by a case without name. */
extern const test_case contiguous_tests[];
extern const test_case value_tests[];
extern const test_case accumulate_tests[];
extern const test_case strided_tests[];
extern const test_case section_tests[];
extern const test_case vector_tests[];
extern const test_case nonblocking_tests[];
extern const test_case atomic_tests[];
extern const test_case mutex_tests[];
extern const test_case order_tests[];
extern const test_case group_tests[];
extern const test_case collective_tests[];
extern const test_case operation_tests[];
extern const test_case selection_tests[];
extern const test_case message_tests[];
extern const test_case memory_tests[];
extern const test_case locality_tests[];
extern const test_case bad_transfer_tests[];
extern const test_case bad_call_tests[];
/* With level MPI_THREAD_MULTIPLE alone. */
extern const test_case thread_tests[];

/* Calls that end the job when misused: `program --fatal NAME` runs one of these. */
extern const test_case fatal_cases[];

/* Asked each time: ranks that share a process share its variables, too. */
#define me (armci_msg_me())
#define nproc (armci_msg_nproc())
extern int failures; /* of the process: noticed by whichever of its ranks, the test has failed */

static inline int right_of(int proc) { return (proc + 1) % nproc; }
static inline int left_of(int proc) { return (proc + nproc - 1) % nproc; }

void note_failure(const char* file, int line, const char* what, double got, double wanted);

#define CHECK(condition)                                                  \
  do {                                                                    \
    if (!(condition)) note_failure(__FILE__, __LINE__, #condition, 0, 1); \
  } while (0)
#define CHECK_EQUAL(got, wanted)                                                 \
  do {                                                                           \
    double g_ = (double)(got), w_ = (double)(wanted);                            \
    if (g_ != w_) note_failure(__FILE__, __LINE__, #got " == " #wanted, g_, w_); \
  } while (0)

/* Pieces of equal size on all processes, zeroed, freed by drop. */
typedef struct {
  void** at;
} pieces;
pieces make_pieces(size_t bytes);
void drop(pieces p);
static inline void* mine(pieces p) { return p.at[me]; }

#endif

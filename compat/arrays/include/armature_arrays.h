#pragma once

/* Distributed arrays for other languages: what the Fortran module armature_arrays stands on. Arrays
   lie in Fortran's order, the first dimension nearest. Indices count from 1, and the last one of a
   range is included. Calls that are not one-sided are collective: all ranks make them in the same
   order. No exception leaves a call: where `status` is NULL, an error ends the job. */
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ARMATURE_ARRAYS_DIMENSIONS_MAX = 7 };

typedef struct armature_array armature_array;

typedef struct {
  int32_t code; /* 0: none */
  char message[508];
} armature_arrays_status;

enum armature_arrays_element {
  ARMATURE_ARRAYS_INT32 = 1,
  ARMATURE_ARRAYS_INT64,
  ARMATURE_ARRAYS_REAL32,
  ARMATURE_ARRAYS_REAL64,
  ARMATURE_ARRAYS_COMPLEX32, /* two numbers of 32 bits */
  ARMATURE_ARRAYS_COMPLEX64
};

enum armature_arrays_kind {
  ARMATURE_ARRAYS_BLOCK = 0, /* numbers: none, or the length of all blocks */
  ARMATURE_ARRAYS_CYCLIC,    /* numbers: none, or the length of what is dealt out */
  ARMATURE_ARRAYS_LENGTHS,   /* numbers: the length of each block */
  ARMATURE_ARRAYS_MAP,       /* numbers: the position of each index, from 0 */
  ARMATURE_ARRAYS_COLLAPSED,
  ARMATURE_ARRAYS_REPLICATED
};

typedef struct {
  int32_t kind;
  int32_t count;
  const int64_t* numbers;
} armature_arrays_distribution;

typedef struct {
  const char* name;
  int32_t element;
  int32_t dimensions;
  const int64_t* shape;
  const armature_arrays_distribution* distributions; /* NULL: blocks */
  const int32_t* grid;                               /* NULL, or 0 for a dimension: chosen */
  const int64_t* ghosts;                             /* NULL: none */
} armature_arrays_request;

/* A range for each dimension. */
typedef struct {
  int32_t dimensions;
  int64_t lower[8];
  int64_t upper[8];
  int64_t step[8];
} armature_arrays_section;

enum armature_arrays_verb {
  ARMATURE_ARRAYS_PUT = 0,
  ARMATURE_ARRAYS_GET,
  ARMATURE_ARRAYS_ACCUMULATE
};

/* Runs body() as each rank of this process; returns the exit status. */
int armature_arrays_run(void (*body)(void));
int32_t armature_arrays_rank(void);
int32_t armature_arrays_ranks(void);
void armature_arrays_barrier(void);
/* Ends the job with a message. */
void armature_arrays_fail(const char* message);

armature_array* armature_arrays_create(const armature_arrays_request* request,
                                       armature_arrays_status* status);
void armature_arrays_destroy(armature_array* array, armature_arrays_status* status);
/* shape: as many numbers as dimensions; returns these. */
int32_t armature_arrays_shape(const armature_array* array, int64_t* shape,
                              armature_arrays_status* status);
/* Moves `count` elements of that kind, in Fortran's order. section NULL: all. One-sided. `scale` is
   an element by which those that are added are multiplied, or NULL. */
void armature_arrays_transfer(armature_array* array, int32_t verb,
                              const armature_arrays_section* section, int32_t element, void* data,
                              int64_t count, const void* scale, armature_arrays_status* status);
/* to(section) = from(section); dimension k is number order[k] of `from`, or k where it is NULL. */
void armature_arrays_copy(armature_array* to, const armature_arrays_section* to_section,
                          armature_array* from, const armature_arrays_section* from_section,
                          const int32_t* order, armature_arrays_status* status);
/* parts: 1 faces, 2 edges too, 8 all. periodic: one for each dimension, or NULL. */
void armature_arrays_exchange_ghosts(armature_array* array, const int32_t* periodic, int32_t parts,
                                     armature_arrays_status* status);
/* The caller's block with its ghosts, and its bounds: global indices where the distribution is in
   blocks, else from 1. Not collective. */
void armature_arrays_local(armature_array* array, int32_t element, int32_t dimensions, void** data,
                           int64_t* lower, int64_t* upper, armature_arrays_status* status);
/* The indices that a rank has, without ghosts. Not collective. */
void armature_arrays_region(armature_array* array, int32_t rank, int64_t* lower, int64_t* upper,
                            armature_arrays_status* status);
void armature_arrays_fence(armature_array* array, armature_arrays_status* status);
void armature_arrays_fill(armature_array* array, int32_t element, const void* value,
                          armature_arrays_status* status);
void armature_arrays_scale(armature_array* array, int32_t element, const void* by,
                           armature_arrays_status* status);
/* out = alpha * a + beta * b; alpha and beta are elements. */
void armature_arrays_add(armature_array* out, int32_t element, const void* alpha, armature_array* a,
                         const void* beta, armature_array* b, armature_arrays_status* status);
void armature_arrays_sum(armature_array* array, int32_t element, void* sum,
                         armature_arrays_status* status);
void armature_arrays_dot(armature_array* a, armature_array* b, int32_t element, void* product,
                         armature_arrays_status* status);
/* The smallest element, or the largest one, and its indices. Not for complex numbers. */
void armature_arrays_extreme(armature_array* array, int32_t is_largest, int32_t element,
                             void* value, int64_t* place, armature_arrays_status* status);
/* The root of the sum of squares. */
double armature_arrays_norm(armature_array* array, armature_arrays_status* status);
/* c = alpha * a * b + beta * c, of matrices. */
void armature_arrays_multiply(armature_array* c, armature_array* a, armature_array* b, double alpha,
                              double beta, int32_t transposes_a, int32_t transposes_b,
                              armature_arrays_status* status);

#ifdef __cplusplus
}
#endif

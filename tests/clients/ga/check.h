/* Shared by the parts of this client of Global Arrays. */
#ifndef CHECK_H
#define CHECK_H

#include <ga.h>
#include <macdecls.h>

enum { dims_max = 7, elements_max = 130000 };

extern int me, nproc;

/* Counts and names what is not so. */
#define EXPECT(condition) expected((condition) != 0, #condition, __FILE__, __LINE__)
void expected(int so, const char* what, const char* file, int line);

/* Another number for each place, exact in every type, small enough for sums and products. */
double value(const int* at, int ndim);

/* Elements of a box from lo to hi, both within; walks it in C's order. */
int box_elements(const int* lo, const int* hi, int ndim);
int next_in_box(int* at, const int* lo, const int* hi, int ndim); /* 0 behind the last one */
void fill_box(double* buffer, const int* lo, const int* hi, int ndim);
void leading(int* ld, const int* lo, const int* hi, int ndim);

/* A double array filled with value(): each process puts rows in turn. */
int filled_array(const char* name, int ndim, int* dims);
/* All elements, got at once by every process, against scale * value() + shift. */
void expect_all(int array, int ndim, const int* dims, double scale, double shift);

void test_dimensions(void);
void test_types(void);
void test_elements(void);
void test_counters_and_locks(void);
void test_periodic(void);
void test_ghosts(void);
void test_patches(void);
void test_irregular(void);
void test_algebra(void);
void test_groups(void);
void test_nonblocking(void);

#endif

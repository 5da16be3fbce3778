/* The programs share who a PE is, and what it expects. */
#ifndef EXPECT_H
#define EXPECT_H

#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64, ROUNDS = 20 };

extern int me, pes, next, previous;

/* Says where something does not hold, and goes on. */
void expect(int holds, const char* what, const char* file, int line);
#define EXPECT(...) expect((__VA_ARGS__) ? 1 : 0, #__VA_ARGS__, __FILE__, __LINE__)

void test_active_sets(void);
void test_corners(void);
void test_teams(void);
void test_kernels(void);

#endif

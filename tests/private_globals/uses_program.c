/* A library that uses what the program has. */
#include "library.h"

extern int library_named;
int* library_to_named = &library_named;
int library_count(void) { return library_named_here(); }

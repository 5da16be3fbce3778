/* Variables of every kind that a library has; a program asks for each. */
#include "library.h"

#include <stdio.h>
#include <stdlib.h>

int library_named = 3; /* the program names it without a detour */
static int counted = 5;
static int* to_counted = &counted;
static int zeros[100];
static _Thread_local int of_thread = 7;
static int constructed = 0;
static int (*function)(void) = &library_count; /* by name: of this library, or of one before it */
int* library_to_named = &library_named;

__attribute__((constructor)) static void construct(void) {
  ++constructed;
  ++counted;
  function = NULL;
}

__attribute__((destructor)) static void destruct(void) {
  if (getenv("SAY_END") != NULL && zeros[99] != 0)
    printf("library of rank %d ended with %d\n", zeros[99] - 1, counted);
  fflush(stdout);
}

int library_count(void) { return ++*to_counted; }
int library_count_of_thread(void) { return ++of_thread; }
int library_constructed(void) { return constructed; }
int library_named_here(void) { return library_named; }
int library_function_is_left(void) { return function != NULL; }
void library_note(int rank) { zeros[99] = rank + 1; }

/* A library whose variables ranks share, or have for themselves. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

extern int library_named;
extern int* library_to_named;

int library_count(void);           /* one more than before; 7 at first */
int library_count_of_thread(void); /* the same of a thread-local variable; 8 at first */
int library_constructed(void);     /* how often its constructor has run */
int library_named_here(void);      /* library_named as the library sees it */
int library_function_is_left(void);
void library_note(int rank);

#ifdef __cplusplus
}
#endif

/* An entry that does nothing, in a shared library of its own: what a call takes, for caf.f90. */
#include <stdbool.h>
#include <stddef.h>

void empty_entry(void* token, size_t offset, int image, void* from, void* subscripts, void* to,
                 int from_kind, int to_kind, bool overlaps, int* stat);

void empty_entry(void* token, size_t offset, int image, void* from, void* subscripts, void* to,
                 int from_kind, int to_kind, bool overlaps, int* stat) {
  (void)token, (void)offset, (void)image, (void)from, (void)subscripts, (void)to;
  (void)from_kind, (void)to_kind, (void)overlaps, (void)stat;
}

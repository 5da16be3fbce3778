/* libarmature-caf-main.a: linked with -Wl,--wrap=free. gfortran frees components of local coarrays
   by free() at the end of a procedure, though the library has allocated them. */
int caf_free_component(void* memory);
void __real_free(void* memory);
void __wrap_free(void* memory);

void __wrap_free(void* memory) {
  if (memory == 0 || !caf_free_component(memory)) __real_free(memory);
}

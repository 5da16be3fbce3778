/* A library that a program loads by itself. It counts for the whole process. */
int plugin_count(void);
int plugin_count(void) {
  static int calls = 0;
  return ++calls;
}
#ifdef USES_PROGRAM
extern int looked_up;
int plugin_program(void);
int plugin_program(void) { return looked_up; }
#endif

/* libarmci-virtual.a and libarmature-shmem-virtual.a: linked with -Wl,--wrap=main -Wl,--wrap=exit,
   the program starts here, and each of its ranks runs what was its main. RUN_MAIN and EXIT_MAIN are
   the functions of the library that do it. Renaming main by the preprocessor was rejected: a main
   that ends without a return statement would give no status, and objects that are compiled already
   could not be used. */
#include <stdlib.h>

typedef int program_main(int, char**, char**);

program_main __real_main;
_Noreturn void __real_exit(int status);

int RUN_MAIN(int argc, char** argv, program_main* program);
void EXIT_MAIN(int status);

int __wrap_main(int argc, char** argv);
_Noreturn void __wrap_exit(int status);

int __wrap_main(int argc, char** argv) { return RUN_MAIN(argc, argv, __real_main); }

/* Ends the rank, or the process where no rank calls. */
_Noreturn void __wrap_exit(int status) {
  EXIT_MAIN(status);
  __real_exit(status);
}

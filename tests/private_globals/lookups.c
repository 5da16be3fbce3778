/* A name that a rank looks up is its own copy's, and the rest the process's.

     lookups PLUGIN REFUSED: libraries, the second of which uses a variable of the program */
#include <armcix.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"

int looked_up = 3;
int called(void);
int called(void) { return looked_up; }

/* In the place of the C library's, which it calls. */
typedef int reader(const char*);
int atoi(const char* text) {
  static reader* next;
  if (next == NULL) next = (reader*)dlsym(RTLD_NEXT, "atoi");
  job_need(next != NULL && next != atoi, "what lies behind the program");
  return next(text) + 1000;
}

static void find_own(int rank, void* program) {
  void* const handles[] = {RTLD_DEFAULT, program};
  for (int i = 0; i < 2; ++i) {
    job_need(dlsym(handles[i], "looked_up") == (void*)&looked_up, "a variable by name");
    int (*const function)(void) = (int (*)(void))dlsym(handles[i], "called");
    job_need(function == called && function() == rank, "a function by name");
    job_need(dlsym(handles[i], "no_such_name") == NULL && dlerror() != NULL, "a name of nothing");
  }
  job_need(dlsym(RTLD_DEFAULT, "strtol") == dlsym(RTLD_NEXT, "strtol"), "the C library's");
  job_need(dlvsym(RTLD_DEFAULT, "strtol", "GLIBC_2.2.5") != NULL &&
               dlvsym(RTLD_NEXT, "strtol", "GLIBC_2.2.5") == dlsym(RTLD_NEXT, "strtol"),
           "one of a version");
  job_need(dlvsym(RTLD_NEXT, "strtol", "GLIBC_9.9") == NULL && dlerror() != NULL,
           "another version");
  job_need(dlsym(RTLD_NEXT, "called") == NULL, "the program's own behind the program");
  job_need(atoi("7") == 1007, "a function in the place of another one");
}

static void name_own(void) {
  Dl_info info;
  job_need(dladdr((void*)called, &info) != 0 && strcmp(info.dli_sname, "called") == 0 &&
               info.dli_saddr == (void*)called,
           "the name of a function");
  job_need((char*)info.dli_fbase < (char*)called && (char*)&looked_up > (char*)info.dli_fbase,
           "where the copy begins");
  void* const places[] = {(char*)called + 1, (void*)strtol};
  char** const names = backtrace_symbols(places, 2);
  job_need(strstr(names[0], "lookups(called+0x1)") != NULL, names[0]);
  job_need(strstr(names[1], "strtol") != NULL, names[1]);
  free(names);
}

int main(int argc, char** argv) {
  ARMCI_Init();
  const int rank = armci_msg_me();
  looked_up = rank;
  job_need(argc == 3, "two libraries");
  void* const program = dlopen(NULL, RTLD_LAZY);
  for (int round = 0; round < 4; ++round) {
    find_own(rank, program);
    name_own();
    job_move(round);
  }
  for (int again = 0; again < 2; ++again) {
    job_need(dlopen(argv[2], RTLD_LAZY) == NULL, "a library that uses a variable of the program");
    const char* const why = dlerror();
    job_need(why != NULL && strstr(why, "uses looked_up of the program") != NULL,
             why != NULL ? why : "a sentence about it");
    job_need(dlerror() == NULL, "it is said once");
  }
  /* The process's: ranks count together, and stay where it lies. */
  void* const plugin = dlopen(argv[1], RTLD_LAZY);
  job_need(plugin != NULL, "a library that is loaded");
  job_need(dlopen(argv[1], RTLD_LAZY | RTLD_NOLOAD) == plugin && dlclose(plugin) == 0,
           "to ask whether it is");
  int (*const count)(void) = (int (*)(void))dlsym(plugin, "plugin_count");
  job_need(count != NULL && count() > 0, "a function of it");
  job_need(dlsym(plugin, "called") == NULL, "what it has not");
  armci_msg_barrier();
  if (getenv("EXPECT_COUNT") != NULL)
    job_need(count() > armci_msg_nproc(), "what all have counted");
  job_need(dlclose(plugin) == 0, "to unload it");
  job_well(rank);
  ARMCI_Finalize();
  armci_msg_finalize();
  return 0;
}

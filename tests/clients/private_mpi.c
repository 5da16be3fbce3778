/* A program that has loaded its MPI privately, as interpreters do: its names are not among those
   that are found everywhere. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "armcix.h"
#include "message.h"

static void* mpi;

/* ISO C has no cast from an object's address to a function's. */
static void find(const char* name, void* function, size_t bytes) {
  void* found = dlsym(mpi, name);
  if (found == NULL) {
    fprintf(stderr, "%s is not in %s\n", name, MPI_LIBRARY);
    exit(1);
  }
  memcpy(function, &found, bytes);
}

int main(int argc, char** argv) {
  int (*init)(int*, char***);
  int (*size_of)(MPI_Comm, int*);
  int (*finalize)(void);
  mpi = dlopen(MPI_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (mpi == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  find("MPI_Init", &init, sizeof init);
  find("MPI_Comm_size", &size_of, sizeof size_of);
  find("MPI_Finalize", &finalize, sizeof finalize);
  init(&argc, &argv);
  if (ARMCI_Init() != 0) return 1;
  ARMCI_Group world, copy;
  int size = 0, wrong;
  ARMCI_Group_get_world(&world);
  ARMCIX_Group_dup(&world, &copy);
  size_of(armci_group_comm(&copy), &size);
  ARMCI_Group_free(&copy);
  wrong = size != armci_msg_nproc();
  armci_msg_igop(&wrong, 1, "+");
  if (armci_msg_me() == 0 && wrong == 0) printf("everything is right\n");
  ARMCI_Finalize();
  finalize();
  return wrong != 0;
}

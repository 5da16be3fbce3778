// The C headers, used from C++ as they are from C.
#include <armci.h>
#include <armcix.h>
#include <message.h>

int main() {
  if (ARMCI_Init() != 0) return 1;
  ARMCI_Group world;
  int size = 0;
  ARMCI_Group_get_world(&world);
  ARMCI_Group_size(&world, &size);
  const bool right = size == armci_msg_nproc() && ARMCIX_Trylock_hdl(nullptr, 0, 0) != 0;
  armci_msg_finalize();
  return right ? 0 : 1;
}

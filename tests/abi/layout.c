/* Prints sizes, offsets and values of what object files have compiled in. Compiled against several
   armci.h, whose tables are then compared. What a flavour decides for itself comes last. */
#include <armci.h>
#include <armcix.h>
#include <message.h>
#include <stddef.h>
#include <stdio.h>

#define SIZE(type) printf("sizeof %s %zu\n", #type, sizeof(type))
#define OFFSET(type, member)                                                    \
  printf("offset %s.%s %zu size %zu\n", #type, #member, offsetof(type, member), \
         sizeof(((type*)0)->member))
#define VALUE(name) printf("value %s %d\n", #name, (int)(name))

int main(void) {
  SIZE(armci_size_t);
  SIZE(armci_domain_t);
  SIZE(armcix_mutex_hdl_t);
  SIZE(armci_hdl_t);
  OFFSET(armci_hdl_t, target);
  OFFSET(armci_hdl_t, aggregate);
  SIZE(armci_giov_t);
  OFFSET(armci_giov_t, src_ptr_array);
  OFFSET(armci_giov_t, dst_ptr_array);
  OFFSET(armci_giov_t, bytes);
  OFFSET(armci_giov_t, ptr_array_len);
  VALUE(ARMCI_ACC_INT);
  VALUE(ARMCI_ACC_LNG);
  VALUE(ARMCI_ACC_FLT);
  VALUE(ARMCI_ACC_DBL);
  VALUE(ARMCI_ACC_CPL);
  VALUE(ARMCI_ACC_DCP);
  VALUE(ARMCI_FETCH_AND_ADD);
  VALUE(ARMCI_FETCH_AND_ADD_LONG);
  VALUE(ARMCI_SWAP);
  VALUE(ARMCI_SWAP_LONG);
  VALUE(ARMCI_DOMAIN_SMP);
  VALUE(SCOPE_ALL);
  VALUE(SCOPE_NODE);
  VALUE(SCOPE_MASTERS);
  VALUE(ARMCI_INT);
  VALUE(ARMCI_LONG);
  VALUE(ARMCI_LONG_LONG);
  VALUE(ARMCI_FLOAT);
  VALUE(ARMCI_DOUBLE);
  SIZE(enum ARMCI_Acc_e);
  SIZE(enum ARMCI_Rmw_e);
  SIZE(enum armci_domain_e);
  SIZE(enum armci_scope_e);
  SIZE(enum armci_type_e);
  printf("alignof ARMCI_Group %zu\n", _Alignof(ARMCI_Group));
  printf("group %zu\n", sizeof(ARMCI_Group));
  return 0;
}

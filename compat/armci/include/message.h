/* ARMCI's messages and collectives, for start-up and for programs that need no more than these.
   They work from armci_msg_init, or from their first call, to armci_msg_finalize or the end of the
   program, with or without ARMCI_Init. What cannot be done ends the job with a message.

   armci_msg_init initialises the program's MPI, too, where that MPI's mpirun has started the
   process and nobody has; elsewhere it says why not. armci_msg_finalize ends what it has begun.

   Scopes: all processes; those of my node; the first of every node (where others call, nothing
   happens). Roots are job-wide process numbers. */
#ifndef ARMATURE_COMPAT_MESSAGE_H
#define ARMATURE_COMPAT_MESSAGE_H

#include "armci.h"

#ifdef __cplusplus
extern "C" {
#endif

enum armci_scope_e { SCOPE_ALL, SCOPE_NODE, SCOPE_MASTERS };

enum armci_type_e { ARMCI_INT, ARMCI_LONG, ARMCI_LONG_LONG, ARMCI_FLOAT, ARMCI_DOUBLE };

void armci_msg_init(int* argc, char*** argv);
void armci_msg_finalize(void);
int armci_msg_me(void);
int armci_msg_nproc(void);
void armci_msg_abort(int code);
/* Seconds since some moment. */
double armci_timer(void);

/* Matched by sender and tag, in order. msglen may be NULL. rcvany returns the sender. */
void armci_msg_snd(int tag, void* buffer, int len, int to);
void armci_msg_rcv(int tag, void* buffer, int buflen, int* msglen, int from);
int armci_msg_rcvany(int tag, void* buffer, int buflen, int* msglen);

void armci_msg_barrier(void);
void armci_msg_group_barrier(ARMCI_Group* group);

void armci_msg_bcast(void* buffer, int len, int root);
void armci_msg_brdcst(void* buffer, int len, int root);
void armci_msg_bcast_scope(int scope, void* buffer, int len, int root);
void armci_msg_group_bcast_scope(int scope, void* buffer, int len, int root, ARMCI_Group* group);
void armci_msg_clus_brdcst(void* buffer, int len);

/* The binary tree over a scope's processes: -1 where there is no such neighbour. */
void armci_msg_bintree(int scope, int* root, int* up, int* left, int* right);

/* Combine elementwise over the processes, in place, everywhere: "+", "*", "max", "min", "absmax",
   "absmin" (of the absolute values). For integers there are the bits' "|", "or" or "bor", "&" or
   "band", and the truth's "||" or "lor", "&&" or "land". An operation is read by its beginning and
   needs no zero at its end: Fortran has none. The reduce calls promise the result at the first
   process of the scope only. */
#ifdef __GNUC__ /* long long is older than C99 and C++11, which it is a part of */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wlong-long"
#endif
void armci_msg_gop_scope(int scope, void* x, int n, char* op, int type);
void armci_msg_igop(int* x, int n, char* op);
void armci_msg_lgop(long* x, int n, char* op);
void armci_msg_llgop(long long* x, int n, char* op);
void armci_msg_fgop(float* x, int n, char* op);
void armci_msg_dgop(double* x, int n, char* op);
void armci_msg_group_gop_scope(int scope, void* x, int n, char* op, int type, ARMCI_Group* group);
void armci_msg_group_igop(int* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_lgop(long* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_llgop(long long* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_fgop(float* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_dgop(double* x, int n, char* op, ARMCI_Group* group);
void armci_msg_clus_igop(int* x, int n, char* op);
void armci_msg_clus_lgop(long* x, int n, char* op);
void armci_msg_clus_llgop(long long* x, int n, char* op);
void armci_msg_clus_fgop(float* x, int n, char* op);
void armci_msg_clus_dgop(double* x, int n, char* op);
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
void armci_msg_reduce(void* x, int n, char* op, int type);
void armci_msg_reduce_scope(int scope, void* x, int n, char* op, int type);

/* x is n bytes that begin with a number of that type. Everybody gets the bytes of the contributor
   whose number is the smallest ("min") or largest ("max"); of equals, the lowest process. */
void armci_msg_sel(void* x, int n, char* op, int type, int contribute);
void armci_msg_sel_scope(int scope, void* x, int n, char* op, int type, int contribute);

/* Everybody gives addresses[its number] and gets all n. */
void armci_exchange_address(void* addresses[], int n);
void armci_exchange_address_grp(void* addresses[], int n, ARMCI_Group* group);

#ifdef __cplusplus
}
#endif

#endif

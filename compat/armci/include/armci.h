/* The classical ARMCI interface, served by Armature: one-sided access to the memory of other
   processes, from C11, C++ and whatever calls C. Names, types, layouts and constants are those that
   existing programs and object files were made with (ARMCI-MPI as Debian packages it).

   Processes are numbered 0 .. armci_msg_nproc() - 1. Memory named by (address, proc) must come from
   ARMCI_Malloc and its relatives; local buffers may lie anywhere. A call that returns int returns 0
   when it did its work, else a negative code:

     -1  a null pointer
     -2  an unknown operation or type; a null array of addresses, strides or counts
     -3  a negative count, or a byte count that is no multiple of the type's size
     -4  stride levels not in 0 .. 8, or a negative number of segments
     -5  no such process
     -6  anything else: an address nobody owns, memory that cannot be had, a call at the wrong time

   and has done nothing.

   A call without such a result ends the job with a message. A transfer that returns -6 says why on
   the standard error output, once for each place of the program that it is called from. With
   ARMCI_VERBOSE=1 in the environment every code is explained there; with ARMCI_ERRORS=abort a
   transfer that would return a negative code ends the job. */
#ifndef ARMATURE_COMPAT_ARMCI_H
#define ARMATURE_COMPAT_ARMCI_H

#include <stdlib.h>

/* Programs for ARMCI-MPI count on its armci.h to bring mpi.h along. C++ ones include it themselves:
   it may hold C++ of its own that asks for one more library. */
#if !defined(MPI_VERSION) && !defined(__cplusplus) && defined(__has_include)
#if __has_include(<mpi.h>)
#include <mpi.h>
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define ARMCI_MAX_STRIDE_LEVEL 8

typedef long armci_size_t;

/* -- start and end -------------------------------------------------------------------------------

   Collective. ARMCI_Init may be called again; as many ARMCI_Finalize end ARMCI. ARMCI_Error ends
   the job with that message and code.

   The levels of ARMCI_Init_thread have MPI's numbers. Up to MPI_THREAD_MULTIPLE, 3, they are
   served, and no more than the program's MPI was initialised for; what is not served is refused,
   with a message. The thread that asks for level 3 is the one that has joined the job. With
   whatever level threads may lock mutexes and make puts and gets at the same time. */

int ARMCI_Init(void);
int ARMCI_Init_args(int* argc, char*** argv);
int ARMCI_Init_thread(int requested);
int ARMCI_Initialized(void);
int ARMCI_Finalize(void);
void ARMCI_Cleanup(void);
void ARMCI_Error(const char* message, int code);

/* Ends the job, too; in words that test programs use. */
void armci_die(const char* message, int code);
void armci_die2(const char* message, int code, int second_code);

/* Join a job that is the processes of that communicator, in programs that have mpi.h. Collective
   over it; MPI is initialised. */
#ifdef MPI_VERSION
int ARMCI_Init_mpi_comm(MPI_Comm communicator);
int ARMCI_Init_thread_comm(int requested, MPI_Comm communicator);
#endif

/* -- groups --------------------------------------------------------------------------------------

   An ordered subset of the processes. The structure is opaque, may be copied, and is as large as
   any flavour of it; see docs/decisions/armci-group-layout.md before touching it. */

typedef struct {
  void* armci_reserved[2];
  void* armci_key;
  void* armci_room[2];
} ARMCI_Group;

/* Collective over the new group; other members of the parent may call too and get a group they are
   not in (rank -1, size 0). The list holds ids within the parent; ARMCI_Group_create's parent is
   the default group, which is the world unless set. */
void ARMCI_Group_create(int size, int* ids, ARMCI_Group* created);
void ARMCI_Group_create_child(int size, int* ids, ARMCI_Group* created, ARMCI_Group* parent);
void ARMCI_Group_free(ARMCI_Group* group);
/* Returns non-zero, and rank -1, where the caller is not a member. */
int ARMCI_Group_rank(ARMCI_Group* group, int* rank);
void ARMCI_Group_size(ARMCI_Group* group, int* size);
void ARMCI_Group_set_default(ARMCI_Group* group);
void ARMCI_Group_get_default(ARMCI_Group* group);
void ARMCI_Group_get_world(ARMCI_Group* group);
/* The process behind a group's rank, or -1. */
int ARMCI_Absolute_id(ARMCI_Group* group, int rank);
/* The communicator of a group; the group owns it. MPI_COMM_NULL where the caller is not a member,
   MPI was not initialised by ARMCI_Init, or MPI has other processes than the job. */
#ifdef MPI_VERSION
MPI_Comm armci_group_comm(ARMCI_Group* group);
#endif

/* -- memory --------------------------------------------------------------------------------------

   ARMCI_Malloc is collective over all processes, ARMCI_Malloc_group over a group: pieces[i] becomes
   the address of member i's piece, NULL where it asked for 0 bytes. They are freed collectively,
   each naming its own piece. ARMCI_Malloc_local is for one process's communication buffers. The
   devices of the _memdev calls are accepted and not distinguished. */

int ARMCI_Malloc(void** pieces, armci_size_t bytes);
int ARMCI_Free(void* piece);
int ARMCI_Malloc_group(void** pieces, armci_size_t bytes, ARMCI_Group* group);
int ARMCI_Free_group(void* piece, ARMCI_Group* group);
void* ARMCI_Malloc_local(armci_size_t bytes);
int ARMCI_Free_local(void* memory);
int ARMCI_Malloc_memdev(void** pieces, armci_size_t bytes, const char* device);
int ARMCI_Malloc_group_memdev(void** pieces, armci_size_t bytes, ARMCI_Group* group,
                              const char* device);
int ARMCI_Free_memdev(void* piece);

/* Memory of one process that others reach once they are told of it. The creator fills in the
   description and sends it. Memat gives the address to use in ARMCI calls, and to dereference on
   the creator's node. Memctl lets go of it, and at the creator frees it. */
typedef struct armci_meminfo_ds {
  char* armci_addr;
  char* addr;
  size_t size;
  int cpid;
  long idlist[128];
} armci_meminfo_t;

void ARMCI_Memget(size_t bytes, armci_meminfo_t* meminfo, int memflg);
void* ARMCI_Memat(armci_meminfo_t* meminfo, long offset);
void ARMCI_Memdt(armci_meminfo_t* meminfo, long offset);
void ARMCI_Memctl(armci_meminfo_t* meminfo);

/* Stand around direct loads and stores to my own piece. Direct access is always allowed here. */
void ARMCI_Access_begin(void* memory);
void ARMCI_Access_end(void* memory);
void ARMCI_Copy(void* src, void* dst, int bytes);

/* -- transfers that block ------------------------------------------------------------------------

   Put and accumulate (dst += scale * src, atomic per element) return when src may be reused. Those
   to one process take effect in order. ARMCI_Fence waits until they have taken effect. Get returns
   with the data. Strided: count[0] bytes lie together, count[i] groups at level i, stride_ar[i-1]
   bytes apart. */

enum ARMCI_Acc_e {
  ARMCI_ACC_INT,
  ARMCI_ACC_LNG,
  ARMCI_ACC_FLT,
  ARMCI_ACC_DBL,
  ARMCI_ACC_CPL,
  ARMCI_ACC_DCP,
  ARMCI_ACC_RA /* longs, combined by exclusive or; scale is not looked at */
};

int ARMCI_Put(void* src, void* dst, int bytes, int proc);
int ARMCI_Get(void* src, void* dst, int bytes, int proc);
int ARMCI_Acc(int datatype, void* scale, void* src, void* dst, int bytes, int proc);
#define ARMCI_Put1 ARMCI_Put /* of old, for one element */

int ARMCI_PutS(void* src, int src_stride_ar[], void* dst, int dst_stride_ar[], int count[],
               int stride_levels, int proc);
int ARMCI_GetS(void* src, int src_stride_ar[], void* dst, int dst_stride_ar[], int count[],
               int stride_levels, int proc);
int ARMCI_AccS(int datatype, void* scale, void* src, int src_stride_ar[], void* dst,
               int dst_stride_ar[], int count[], int stride_levels, int proc);

/* After the data, and visible only after them, sets *flag = value at the target. */
int ARMCI_Put_flag(void* src, void* dst, int bytes, int* flag, int value, int proc);
int ARMCI_PutS_flag(void* src, int src_stride_ar[], void* dst, int dst_stride_ar[], int count[],
                    int stride_levels, int* flag, int value, int proc);
int ARMCI_PutS_flag_dir(void* src, int src_stride_ar[], void* dst, int dst_stride_ar[], int count[],
                        int stride_levels, int* flag, int value, int proc);

typedef struct {
  void** src_ptr_array;
  void** dst_ptr_array;
  int bytes;         /* of each segment */
  int ptr_array_len; /* how many segments */
} armci_giov_t;

int ARMCI_PutV(armci_giov_t* iov, int iov_len, int proc);
int ARMCI_GetV(armci_giov_t* iov, int iov_len, int proc);
int ARMCI_AccV(int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc);

int ARMCI_PutValueInt(int src, void* dst, int proc);
int ARMCI_PutValueLong(long src, void* dst, int proc);
int ARMCI_PutValueFloat(float src, void* dst, int proc);
int ARMCI_PutValueDouble(double src, void* dst, int proc);
int ARMCI_GetValueInt(void* src, int proc);
long ARMCI_GetValueLong(void* src, int proc);
float ARMCI_GetValueFloat(void* src, int proc);
double ARMCI_GetValueDouble(void* src, int proc);

/* -- transfers that do not block -----------------------------------------------------------------

   Not ordered. The buffer belongs to the transfer until the handle is waited for; one handle may
   stand for many transfers, and an aggregate one for many small ones that travel together. A NULL
   handle: completed by ARMCI_WaitProc and ARMCI_WaitAll, which complete all the others too. Handles
   start as zeros or with ARMCI_INIT_HANDLE. */

typedef struct armci_hdl_s {
  int target;
  int aggregate;
} armci_hdl_t;
typedef armci_hdl_t armci_req_t;

void ARMCI_INIT_HANDLE(armci_hdl_t* handle);
void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* handle);
void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* handle);

int ARMCI_Wait(armci_hdl_t* handle);
/* 0: complete. */
int ARMCI_Test(armci_hdl_t* handle);
int ARMCI_WaitProc(int proc);
int ARMCI_WaitAll(void);

int ARMCI_NbPut(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle);
int ARMCI_NbGet(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle);
int ARMCI_NbAcc(int datatype, void* scale, void* src, void* dst, int bytes, int proc,
                armci_hdl_t* handle);
int ARMCI_NbPutS(void* src, int src_stride_ar[], void* dst, int dst_stride_ar[], int count[],
                 int stride_levels, int proc, armci_hdl_t* handle);
int ARMCI_NbGetS(void* src, int src_stride_ar[], void* dst, int dst_stride_ar[], int count[],
                 int stride_levels, int proc, armci_hdl_t* handle);
int ARMCI_NbAccS(int datatype, void* scale, void* src, int src_stride_ar[], void* dst,
                 int dst_stride_ar[], int count[], int stride_levels, int proc,
                 armci_hdl_t* handle);
int ARMCI_NbPutV(armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* handle);
int ARMCI_NbGetV(armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* handle);
int ARMCI_NbAccV(int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc,
                 armci_hdl_t* handle);
int ARMCI_NbPutValueInt(int src, void* dst, int proc, armci_hdl_t* handle);
int ARMCI_NbPutValueLong(long src, void* dst, int proc, armci_hdl_t* handle);
int ARMCI_NbPutValueFloat(float src, void* dst, int proc, armci_hdl_t* handle);
int ARMCI_NbPutValueDouble(double src, void* dst, int proc, armci_hdl_t* handle);

/* -- order and exclusion -------------------------------------------------------------------------

   ARMCI_Barrier is collective over all processes and includes ARMCI_AllFence. ARMCI_Rmw leaves the
   value found in *ploc (int, or long for the _LONG operations); a swap stores what was in *ploc.
   ARMCI_Create_mutexes is collective, each process says how many it hosts; there is one such set.
 */

void ARMCI_Barrier(void);
void ARMCI_Fence(int proc);
void ARMCI_AllFence(void);
void ARMCI_GroupFence(ARMCI_Group* group);

/* Never needed for progress, which transfers make whatever their target does. In a loop that looks
   at memory until it changes it lets virtual ranks of this process run, as ARMCIX_Progress does. */
void ARMCI_Poll(void);

enum ARMCI_Rmw_e { ARMCI_FETCH_AND_ADD, ARMCI_FETCH_AND_ADD_LONG, ARMCI_SWAP, ARMCI_SWAP_LONG };

int ARMCI_Rmw(int op, void* ploc, void* prem, int value, int proc);

int ARMCI_Create_mutexes(int count);
int ARMCI_Destroy_mutexes(void);
void ARMCI_Lock(int mutex, int proc);
void ARMCI_Unlock(int mutex, int proc);

/* A signal ordered behind my earlier puts to proc; returns how often I have signalled it. The wait
   takes one signal and returns, also in *count unless that is NULL, how many it has taken. */
int armci_notify(int proc);
int armci_notify_wait(int proc, int* count);

/* -- where processes are -------------------------------------------------------------------------

   The domains of ARMCI_DOMAIN_SMP are the nodes: processes of one can dereference each other's
   pieces. armcix.h has further levels. A negative id means mine; -1 is returned for what does not
   exist. */

enum armci_domain_e { ARMCI_DOMAIN_SMP };

typedef int armci_domain_t;

int armci_domain_count(armci_domain_t domain);
int armci_domain_nprocs(armci_domain_t domain, int id);
int armci_domain_id(armci_domain_t domain, int proc);
int armci_domain_glob_proc_id(armci_domain_t domain, int id, int local_proc);
int armci_domain_my_id(armci_domain_t domain);
int armci_domain_same_id(armci_domain_t domain, int proc);

int ARMCI_Same_node(int proc);
int armci_sameclusnode(int proc);
int ARMCI_Uses_shm(void);
int ARMCI_Uses_shm_grp(ARMCI_Group* group);
void ARMCI_Set_shm_limit(unsigned long bytes);

/* -- sections of arrays, locally -----------------------------------------------------------------

   Seen from the dense buffer: write copies the section into it, read takes the section from it. And
   a walk over a section's segments. */

void armci_write_strided(void* section, int stride_levels, int stride_ar[], int count[], char* buf);
void armci_read_strided(void* section, int stride_levels, int stride_ar[], int count[], char* buf);

typedef struct {
  char* base_ptr;
  int stride_levels;
  int stride_arr[ARMCI_MAX_STRIDE_LEVEL];
  int seg_count[ARMCI_MAX_STRIDE_LEVEL + 1];
  int size; /* number of segments */
  int pos;  /* the current one */
  int itr[ARMCI_MAX_STRIDE_LEVEL];
} stride_info_t;

void armci_stride_info_init(stride_info_t* info, void* section, int stride_levels,
                            const int* stride_ar, const int* count);
void armci_stride_info_destroy(stride_info_t* info);
int armci_stride_info_size(stride_info_t* info);
int armci_stride_info_count(stride_info_t* info);
int armci_stride_info_pos(stride_info_t* info);
void armci_stride_info_next(stride_info_t* info);
void* armci_stride_info_seg_ptr(stride_info_t* info);
int armci_stride_info_seg_size(stride_info_t* info);
int armci_stride_info_seg_off(stride_info_t* info);
int armci_stride_info_has_more(stride_info_t* info);

#ifdef __cplusplus
}
#endif

#include "message.h"
#include "parmci.h"

#endif

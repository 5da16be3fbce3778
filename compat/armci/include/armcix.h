/* Extensions that came with ARMCI-MPI: splitting groups, and several sets of mutexes. And what
   virtual ranks have besides. */
#ifndef ARMATURE_COMPAT_ARMCIX_H
#define ARMATURE_COMPAT_ARMCIX_H

#include "armci.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Collective over the parent. One group for each color, ordered by key; a negative color takes part
   and gets a group that it is not in. */
int ARMCIX_Group_split(ARMCI_Group* parent, int color, int key, ARMCI_Group* created);
int ARMCIX_Group_dup(ARMCI_Group* parent, ARMCI_Group* created);

typedef struct armcix_mutex_hdl_s* armcix_mutex_hdl_t;

/* Collective over the group; each member says how many it hosts. NULL if that cannot be. Processes
   are named by their job-wide numbers. Trylock returns 0 when it has locked. */
armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group* group);
int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t hdl);
void ARMCIX_Lock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);

/* Mutexes of all processes, by older names. */
armcix_mutex_hdl_t ARMCIX_Create_mutexes_grp(int count);
#define armcix_mutex_grp_t armcix_mutex_hdl_t
#define ARMCIX_Destroy_mutexes_grp ARMCIX_Destroy_mutexes_hdl
#define ARMCIX_Lock_grp ARMCIX_Lock_hdl
#define ARMCIX_Trylock_grp ARMCIX_Trylock_hdl
#define ARMCIX_Unlock_grp ARMCIX_Unlock_hdl

/* Further levels of domains for armci_domain_count() and its like, from the widest to the
   narrowest: nodes at one switch of the network, (nodes,) sockets, NUMA domains, caches, cores.
   Each divides the one before; processes divide nodes, where ranks are threads or virtual. A
   process that is bound to no one socket, for example, shares a domain with the others of its node
   that are not. */
enum armcix_domain_e {
  ARMCIX_DOMAIN_PROCESS = 1,
  ARMCIX_DOMAIN_CORE,
  ARMCIX_DOMAIN_CACHE,
  ARMCIX_DOMAIN_NUMA,
  ARMCIX_DOMAIN_SOCKET,
  ARMCIX_DOMAIN_SWITCH
};

/* The highest level of threads (ARMCI_Init_thread) that this program is served. */
int ARMCIX_Query_thread(int* provided);

/* Transfers progress whatever their target does. Virtual ranks that share a process run when
   another one waits, or calls this: a loop that looks at memory until it changes should. */
void ARMCIX_Progress(void);

/* Modules: further threads of control of the calling process (armci-on-charm-2006, 2.1). Start is
   collective over the group, or over all for NULL: its members start the same modules in the same
   order. body(argument, own) begins when the process waits next. `own` is a group of the module's
   own, with the same members, for its collectives: those over all belong to one module at a time.
   Modules of a process take turns where they wait, and share its memory, tags, mutexes and fences.
   Each has 256 KiB of stack. What cannot be started ends the job with a message.

   Ended: 1 when the module has ended here, else 0; it never blocks. Wait returns 0 when it has,
   once for each module. Both return -1 for NULL. Inside a remote call wait returns -6 while the
   module runs, which can be waited for later. */
typedef struct armcix_module_s* armcix_module_t;
armcix_module_t ARMCIX_Module_start(void (*body)(void* argument, ARMCI_Group* own), void* argument,
                                    ARMCI_Group* group);
int ARMCIX_Module_ended(armcix_module_t module);
int ARMCIX_Module_wait(armcix_module_t module);

/* Write all virtual ranks; collective over them. The first writes to that directory or, when it is
   NULL, to the one of `armature run --checkpoint`. The second writes in memory, in a job that is to
   recover from deaths; elsewhere it does nothing. 0: the job goes on; 1: it has been restarted from
   here, or has gone back here. Else a negative code, everywhere, and the checkpoint before is still
   the last one. */
int ARMCIX_Checkpoint(const char* directory);
int ARMCIX_Checkpoint_in_memory(void);

/* Leave memory of the calling rank out of its checkpoints, which the program can make anew: it is
   zero after a restart, and when ranks have gone back, but for ends that share a page with others.
   The second takes it back, as has to be done before it is freed. The third leaves all of `whole`
   out but `count` parts of it. 0, or a negative code where the memory is not the rank's
   (<armature/checkpoint_memory.hpp> says more). */
int ARMCIX_Checkpoint_skip(const void* memory, size_t bytes);
int ARMCIX_Checkpoint_keep(const void* memory, size_t bytes);
int ARMCIX_Checkpoint_only(const void* whole, size_t bytes, int count, const void* const* parts,
                           const size_t* part_bytes);

#ifdef __cplusplus
}
#endif

#endif

#ifndef PRIVATE_GLOBALS_JOB_H
#define PRIVATE_GLOBALS_JOB_H

/* Calls of the programs here, of all languages, to their job. */

#ifdef __cplusplus
extern "C" {
#endif

/* Goes on in another process: in each second round all ranks do, between any nodes, in the others
   each for itself, on its node. Every process runs each rank once in a while. */
void job_move(int round);
/* Stops the job, once, if it is to be restarted. Or has processes killed behind checkpoints in
   memory, if it is to go on without them. */
void job_stop(int me);
/* From now on job_stop calls that behind each checkpoint: it gives variables other values. */
void job_spoil_by(void (*spoil)(void));
/* Ends the job with these words unless that is so. */
void job_need(int holds, const char* what);
/* Needs that no rank here takes more memory areas than a rank may have. `variable`: a global that
   each has for itself. All call it. */
void job_count_areas(int me, const void* variable);
/* Says that all is well, once. */
void job_well(int me);

#ifdef __cplusplus
}
#endif

#endif

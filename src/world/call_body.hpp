#pragma once

#include "armature/run.hpp"

// The thread that runs a rank is not the program's to end. pthread_exit on it, or pthread_cancel,
// leaves a rank that nobody runs any more. All others would wait for it. That is reported as a
// mistake and ends the job. An exception that leaves the body is none of this: where nobody catches
// it the process ends where it was thrown.

namespace armature::hosting {

/// Calls the body of the program for a rank that is a thread or a fiber. Ends the job where the
/// body's thread is ended instead.
int call_body(detail::Body body, void* callable, World& world);

/// Makes the end of the calling thread end the job, until leave_thread. The thread runs the one
/// rank of its process, from init to finalize, and has no frame of ours below the program's.
void stay_on_thread();
void leave_thread();

}  // namespace armature::hosting

#pragma once

// Kernels that are compiled twice, for the base instruction set and for x86-64-v3 (AVX2, FMA); the
// loader picks the one that the machine can run. Sanitizers run before the loader is done with
// that, so not there.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(ARMATURE_SANITIZE_UNDEFINED)
#define ARMATURE_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define ARMATURE_CLONES
#endif

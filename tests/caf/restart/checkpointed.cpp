// A checkpoint of the job, for Fortran programs: to the folder of `--checkpoint`. Returns 1 after a
// restart from it.
#include <armature/checkpoint.hpp>

extern "C" int checkpointed();

int checkpointed() { return armature::checkpoint() ? 1 : 0; }

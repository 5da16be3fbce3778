#include "communicators.hpp"

const bool armci::made_for_mpi = true;

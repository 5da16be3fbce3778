// What libarmci-openmpi and libarmci-mpich have beside libarmci: the job as MPI knows it, a
// communicator for each group, and the calls that speak of them. Compiled once for each MPI, with
// its mpi.h.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

#include <armature/error.hpp>
#include <armature/mpi.hpp>
#include <armature/run.hpp>

#include "armci.h"
#include "calls.hpp"
#include "groups.hpp"
#include "job.hpp"

namespace armci {
namespace {

static_assert(sizeof(MPI_Comm) <= sizeof(std::uintptr_t));

MPI_Comm chosen = MPI_COMM_NULL;  // by ARMCI_Init_mpi_comm; the world's unless said
MPI_Comm world = MPI_COMM_NULL;   // our own copy of it

std::uintptr_t bits(MPI_Comm communicator) {
  std::uintptr_t value = 0;
  std::memcpy(&value, &communicator, sizeof communicator);
  return value;
}

MPI_Comm communicator_of(std::uintptr_t value) {
  MPI_Comm communicator;
  std::memcpy(&communicator, &value, sizeof communicator);
  return communicator;
}

bool mpi_runs() {
  int initialised = 0, finalised = 0;
  MPI_Initialized(&initialised);
  if (initialised != 0) MPI_Finalized(&finalised);
  return initialised != 0 && finalised == 0;
}

void require(int status, const char* call) {
  if (status != MPI_SUCCESS)
    throw armature::Error(armature::Errc::misuse, std::string(call) + " failed");
}

/// Without MPI, as a program that does not use it.
armature::World& join() {
  if (!mpi_runs()) return armature::init();
  if (chosen == MPI_COMM_NULL) chosen = MPI_COMM_WORLD;
  armature::World& joined = armature::init_mpi(&chosen);
  require(MPI_Comm_dup(chosen, &world), "MPI_Comm_dup");
  return joined;
}

/// By its members alone, as groups are.
std::uintptr_t make(const armature::Team& team) {
  if (world == MPI_COMM_NULL || !mpi_runs()) return bits(MPI_COMM_NULL);
  std::vector<int> ranks;
  for (int member = 0; member < team.size(); ++member) ranks.push_back(team.world_rank(member));
  MPI_Group all, members;
  MPI_Comm made = MPI_COMM_NULL;
  require(MPI_Comm_group(world, &all), "MPI_Comm_group");
  require(MPI_Group_incl(all, team.size(), ranks.data(), &members), "MPI_Group_incl");
  constexpr int tag = 0x4152;
  require(MPI_Comm_create_group(world, members, tag, &made), "MPI_Comm_create_group");
  MPI_Group_free(&members);
  MPI_Group_free(&all);
  return bits(made);
}

void release(std::uintptr_t value) {
  MPI_Comm communicator = communicator_of(value);
  if (communicator != MPI_COMM_NULL && mpi_runs()) MPI_Comm_free(&communicator);
}

const Communicators of_this_mpi = {.join = join,
                                   .of_world = [] { return bits(world); },
                                   .make = make,
                                   .release = release,
                                   .none = [] { return bits(MPI_COMM_NULL); }};

int initialise_on(MPI_Comm communicator) {
  if (!mpi_runs()) {
    std::fprintf(stderr, "ARMCI_Init_mpi_comm: MPI is not initialised\n");
    return failed;
  }
  chosen = communicator;
  return PARMCI_Init();
}

}  // namespace

const Communicators* const communicators = &of_this_mpi;

}  // namespace armci

using namespace armci;

extern "C" {

int PARMCI_Init_mpi_comm(MPI_Comm communicator) { return initialise_on(communicator); }
int PARMCI_Init_thread_comm(int /*requested*/, MPI_Comm communicator) {
  return initialise_on(communicator);
}

MPI_Comm armci_group_comm(ARMCI_Group* group) {
  return insisted(__func__, [=] {
    const auto found = find_group(group);
    return found ? communicator_of(found->communicator) : MPI_COMM_NULL;
  });
}

int ARMCI_Init_mpi_comm(MPI_Comm communicator) __attribute__((weak, alias("PARMCI_Init_mpi_comm")));
int ARMCI_Init_thread_comm(int requested, MPI_Comm communicator)
    __attribute__((weak, alias("PARMCI_Init_thread_comm")));
}

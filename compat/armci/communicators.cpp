// The job as the program's MPI knows it, a communicator for each group, and the calls that speak of
// them. One library is for every MPI. Handles are the addresses of objects in Open MPI and numbers
// in MPICH and its kin, and either fits a register. So a function that takes or returns one serves
// callers of both. The MPI's functions are looked up when they are needed.
#include "communicators.hpp"

#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <armature/error.hpp>
#include <armature/mpi.hpp>
#include <armature/run.hpp>

#include "armci.h"
#include "calls.hpp"
#include "groups.hpp"
#include "job.hpp"
#include "thread_level.hpp"

namespace armci {
namespace {

using Bits = std::uintptr_t;

Bits chosen = 0;  // the communicator of ARMCI_Init_mpi_comm; the world's unless said
bool has_chosen = false;
Bits world = 0;  // our own copy of it, or 0

template <class Signature, class... Arguments>
void call(const char* name, Arguments... arguments) {
  const auto function = reinterpret_cast<Signature*>(armature::mpi_symbol(name));
  if (function == nullptr || function(arguments...) != 0)
    throw armature::Error(armature::Errc::misuse,
                          std::string(name) + (function ? " failed" : " is not in this MPI"));
}

bool is_open_mpi() { return armature::mpi_handle_bytes() == sizeof(void*); }

/// 0 where no MPI is known; in MPICH's family a number that its binary interface fixes.
Bits constant(const char* of_open_mpi, Bits of_mpich) {
  if (armature::mpi_handle_bytes() == 0) return 0;
  return is_open_mpi() ? reinterpret_cast<Bits>(armature::mpi_symbol(of_open_mpi)) : of_mpich;
}

Bits mpi_world() { return constant("ompi_mpi_comm_world", 0x44000000); }

template <class Handle>
Handle handle(Bits bits) {
  Handle result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

template <class Handle>
Bits bits(Handle handle) {
  Bits result = 0;
  std::memcpy(&result, &handle, sizeof handle);
  return result;
}

/// Calls body.operator()<Handle>() for what this MPI's handles are.
template <class Body>
auto with_handles(Body&& body) {
  return is_open_mpi() ? body.template operator()<void*>() : body.template operator()<int>();
}

Bits duplicate(Bits communicator) {
  return with_handles([=]<class Handle>() {
    Handle copy{};
    call<int(Handle, Handle*)>("MPI_Comm_dup", handle<Handle>(communicator), &copy);
    return bits(copy);
  });
}

/// Whether MPI_COMM_WORLD is the job: not where the program was started by something else than the
/// MPI's launcher, and each process is an MPI world of its own.
bool is_mpis(const armature::World& job) {
  return with_handles([&]<class Handle>() {
    int rank = -1, size = -1;
    call<int(Handle, int*)>("MPI_Comm_rank", handle<Handle>(mpi_world()), &rank);
    call<int(Handle, int*)>("MPI_Comm_size", handle<Handle>(mpi_world()), &size);
    return rank == job.rank() && size == job.size();
  });
}

template <class Handle>
Bits make(const armature::Team& team) {
  std::vector<int> ranks;
  for (int member = 0; member < team.size(); ++member) ranks.push_back(team.world_rank(member));
  Handle all{}, members{}, made{};
  call<int(Handle, Handle*)>("MPI_Comm_group", handle<Handle>(world), &all);
  call<int(Handle, int, const int*, Handle*)>("MPI_Group_incl", all, team.size(), ranks.data(),
                                              &members);
  constexpr int tag = 0x4152;
  call<int(Handle, Handle, int, Handle*)>("MPI_Comm_create_group", handle<Handle>(world), members,
                                          tag, &made);
  call<int(Handle*)>("MPI_Group_free", &members);
  call<int(Handle*)>("MPI_Group_free", &all);
  return bits(made);
}

int initialise_on(const char* call, int level, Bits communicator) {
  if (armature::mpi_handle_bytes() == 0) {
    std::fprintf(stderr, "%s: no MPI that is known is initialised\n", call);
    return failed;
  }
  chosen = communicator;
  has_chosen = true;
  return initialise(call, level);
}

}  // namespace

/// Joins without MPI, as a program that does not use it.
armature::World& join_with_mpi() {
  world = 0;
  if (armature::mpi_handle_bytes() == 0) return armature::init();
  const Bits given = has_chosen ? chosen : mpi_world();
  armature::World& job = has_chosen || made_for_mpi ? armature::init_mpi(&given) : armature::init();
  if (has_chosen || is_mpis(job)) world = duplicate(given);
  return job;
}

std::uintptr_t no_communicator() { return constant("ompi_mpi_comm_null", 0x04000000); }

std::uintptr_t world_communicator() { return world != 0 ? world : no_communicator(); }

std::uintptr_t make_communicator(const armature::Team& team) {
  if (world == 0 || armature::mpi_handle_bytes() == 0) return no_communicator();
  return with_handles([&]<class Handle>() { return make<Handle>(team); });
}

void release_communicator(std::uintptr_t communicator) {
  if (armature::mpi_handle_bytes() == 0) return;
  if (communicator == 0 || communicator == no_communicator()) return;
  with_handles([=]<class Handle>() {
    Handle freed = handle<Handle>(communicator);
    call<int(Handle*)>("MPI_Comm_free", &freed);
  });
}

}  // namespace armci

using namespace armci;

extern "C" {

int PARMCI_Init_mpi_comm(Bits communicator) {
  return initialise_on("ARMCI_Init_mpi_comm", single, communicator);
}
int PARMCI_Init_thread_comm(int requested, Bits communicator) {
  return initialise_on("ARMCI_Init_thread_comm", requested, communicator);
}

Bits armci_group_comm(ARMCI_Group* group) {
  return insisted(__func__, [=] {
    const auto found = find_group(group);
    return found ? found->communicator : no_communicator();
  });
}

}  // extern "C"

ARMCI_TWIN(Init_mpi_comm);
ARMCI_TWIN(Init_thread_comm);

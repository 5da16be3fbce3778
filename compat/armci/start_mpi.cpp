#include "start_mpi.hpp"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <string>

#include <armature/error.hpp>
#include <armature/mpi.hpp>

#include "of_rank.hpp"
#include "thread_level.hpp"

namespace armci {
namespace {

bool is_ours = false;  // started here; of the process, as MPI is

template <class Signature>
Signature* function(const char* name) {
  return reinterpret_cast<Signature*>(armature::mpi_symbol(name));
}

bool says_yes(const char* question) {
  int answer = 0;
  auto* const ask = function<int(int*)>(question);
  return ask != nullptr && ask(&answer) == 0 && answer != 0;
}

bool is_any_set(std::initializer_list<const char*> variables) {
  return std::ranges::any_of(variables, [](const char* name) { return std::getenv(name); });
}

bool is_open_mpi() { return armature::mpi_symbol("ompi_mpi_comm_world") != nullptr; }

/// Judges by what the launchers leave in the environment. One of Open MPI speaks PMIx, as others do
/// that start its programs; one of MPICH PMI.
bool is_by_its_launcher() {
  if (is_any_set({"ARMATURE_RANK"})) return false;  // `armature run`, perhaps below another one
  const bool is_by_open_mpi = is_any_set({"OMPI_COMM_WORLD_SIZE"});
  if (is_open_mpi()) return is_by_open_mpi || is_any_set({"PMIX_RANK"});
  return !is_by_open_mpi && is_any_set({"PMI_RANK", "PALS_RANKID"});
}

/// Nothing where it may be started.
std::string why_not() {
  if (is_of_rank) return "its ranks are not processes";
  if (says_yes("MPI_Finalized")) return "MPI_Finalize was called already";
  if (!is_by_its_launcher())
    return std::string("this process was not started by the mpirun of its MPI, which is ") +
           (is_open_mpi() ? "Open MPI" : "MPICH or one of its kin");
  return {};
}

}  // namespace

std::string start_mpi(int* argc, char*** argv) {
  auto* const init = function<int(int*, char***, int, int*)>("MPI_Init_thread");
  if (init == nullptr || (says_yes("MPI_Initialized") && !says_yes("MPI_Finalized"))) return {};
  std::string why = why_not();
  if (!why.empty()) return "the program's MPI is not initialised: " + why;
  int provided = 0;
  if (init(argc, argv, thread_level_max, &provided) != 0)
    throw armature::Error(armature::Errc::misuse, "MPI_Init_thread failed");
  is_ours = true;
  return {};
}

void end_mpi() {
  if (!is_ours || says_yes("MPI_Finalized")) return;
  is_ours = false;
  if (auto* const finalize = function<int()>("MPI_Finalize"); finalize != nullptr) finalize();
}

int mpi_thread_level(int otherwise) {
  auto* const query = function<int(int*)>("MPI_Query_thread");
  int level = 0;
  const bool is_known = query != nullptr && armature::mpi_handle_bytes() != 0 && query(&level) == 0;
  return is_known ? level : otherwise;
}

}  // namespace armci

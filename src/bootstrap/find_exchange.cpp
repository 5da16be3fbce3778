#include "bootstrap/find_exchange.hpp"

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "bootstrap/mpi_exchange.hpp"
#include "bootstrap/pmi1.hpp"
#include "bootstrap/pmix.hpp"

namespace armature::bootstrap {
namespace {

using base::fail;

struct Copies {
  std::string count;  // "4", or "several"
  std::string launcher;
};

/// How many copies of this program a launcher says it has started; nothing where it is one.
Copies copies_started() {
  constexpr const char* sizes[][2] = {
      {"OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun"},
      {"PMI_SIZE", "a PMI launcher (MPICH's mpirun, srun --mpi=pmi2)"},
      {"MPI_LOCALNRANKS", "MPICH's mpirun"},
      {"PALS_LOCAL_SIZE", "PALS's mpiexec"},
      {"FLUX_JOB_SIZE", "Flux"},
      {"SLURM_STEP_NUM_TASKS", "srun"}};
  for (const auto& [variable, launcher] : sizes) {
    const char* text = std::getenv(variable);
    if (text != nullptr && std::atoi(text) > 1) return {text, launcher};
  }
  if (std::getenv("PMIX_RANK") != nullptr && std::string_view(std::getenv("PMIX_RANK")) != "0")
    return {"several", "a PMIx launcher"};
  return {};
}

/// The program's MPI and the launcher must mean the same job. An MPI that does not know this
/// launcher would be as many jobs of one process, with the same program in each.
void require_same_job(const Exchange& exchange) {
  // An Open MPI that does not know the launcher starts one of its own, for one process.
  for (const char* size : {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE"}) {
    const char* text = std::getenv(size);
    if (exchange.processes() > 1 || text == nullptr || std::atoi(text) <= 1) continue;
    fail(Errc::start,
         fmt::format("the launcher has started {} processes ({}), but the program's MPI "
                     "knows of 1: it was started with the mpirun of another MPI than it "
                     "is linked with",
                     text, size));
  }
  const int in_mpi = mpi_processes();
  if (in_mpi == 0 || in_mpi == exchange.processes()) return;
  fail(Errc::start,
       fmt::format("the launcher has started {} processes, but the program's MPI knows of {}: it "
                   "was started with the mpirun of another MPI than it is linked with",
                   exchange.processes(), in_mpi));
}

}  // namespace

std::unique_ptr<Exchange> find_exchange() {
  std::string tried;
  using Open = std::unique_ptr<Exchange> (*)(std::string&);
  for (const Open open : {Open{open_pmix}, Open{open_pmi1}, Open{open_mpi}}) {
    std::string why_not;
    if (auto exchange = open(why_not)) {
      require_same_job(*exchange);
      return exchange;
    }
    tried += fmt::format("\n  {}", why_not);
  }
  const Copies copies = copies_started();
  if (copies.count.empty()) return nullptr;
  fail(Errc::start,
       fmt::format("{} copies of this program were started by {}, and none of the ways to find the "
                   "job works: they would be as many jobs of one rank each. Tried:{}\n"
                   "On one machine, start it with: armature run -n N PROGRAM. Under srun, say "
                   "--mpi=pmix or --mpi=pmi2",
                   copies.count, copies.launcher, tried));
}

}  // namespace armature::bootstrap

// A program without MPI that any launcher may start: whether it found its job, it finds out itself.
//
//   wired N          the job must have N ranks
//   wired reads      one process of each node reads what all have published
//   wired hold       rank 0 sleeps, the others wait for it in a barrier
//   wired survive    the last rank kills itself; the others hear of it in a barrier, and go on
//   wired late       process 0 never joins
//   wired status     each process leaves the job in order, and fails
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <armature/armature.hpp>
#include <armature/rmi.hpp>

namespace {

using armature::World;

int failures = 0;

void expect(bool condition, const char* what, int rank) {
  if (condition) return;
  std::printf("rank %d: not so: %s\n", rank, what);
  ++failures;
}

/// Whether the environment tells nothing of this job to programs that are started now, and has not
/// grown each time that one has started another.
bool is_fresh() {
  const auto is_absent = [](const char* variable) { return std::getenv(variable) == nullptr; };
  const char* const variables[] = {"ARMATURE_VIRTUAL", "ARMATURE_RESTART", "ARMATURE_SECRETS",
                                   "ARMATURE_PADDING", "ARMATURE_EVEN",    "ARMATURE_RANK"};
  const char* const text = std::getenv("LD_PRELOAD");
  const std::string libraries = text != nullptr ? text : "", ours = "libarmature-malloc.so";
  return std::all_of(std::begin(variables), std::end(variables), is_absent) &&
         libraries.find(ours) == libraries.rfind(ours);
}

/// The status of a child that does nothing.
int status_of_forked_child() {
  const pid_t child = fork();
  if (child == 0) std::exit(0);
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

int work(World& world, int ranks) {
  const int me = world.rank(), size = world.size();
  expect(size == ranks, "the job has as many ranks as were started", me);
  expect(is_fresh(), "programs that it starts are not of the job", me);
  // A virtual rank cannot fork: its stack is shared memory.
  if (armature::domain_count(armature::Domain::process) == size)
    expect(status_of_forked_child() == 0, "a forked child says no farewell for it", me);
  const auto piece = world.allocate<int>(64);
  for (int to = 0; to < size; ++to) armature::put(piece.on(to) + me, 100 * me + to);
  world.fence_all();
  world.barrier();
  for (int from = 0; from < size; ++from)
    expect(piece[static_cast<std::size_t>(from)] == 100 * from + me, "puts have arrived", me);
  const auto counter = world.allocate<long>(1);
  const int right = (me + 1) % size;
  for (int i = 0; i < 10; ++i) armature::fetch_add(counter.on(right), 1L);
  expect(armature::sync(right, [] { return static_cast<int>(armature::world().rank()); }) == right,
         "a method runs on the rank it is called on", me);
  armature::rmi_fence();
  expect(counter[0] == 10, "atomics have arrived", me);
  expect(allreduce(world, 1) == size, "all take part in a reduction", me);
  expect(armature::domain_ranks(armature::Domain::smp, 0).size() *
                 static_cast<std::size_t>(armature::domain_count(armature::Domain::smp)) ==
             static_cast<std::size_t>(size),
         "each node has as many", me);
  if (world.rank() == 0)
    std::printf("%d ranks, %d processes\n", size,
                armature::domain_count(armature::Domain::process));
  return failures;
}

/// On one node, with a rank in each process.
int count_reads(World& world) {
  const auto reads = static_cast<long>(armature::wire_up_reads());
  const long size = world.size(), of_all = allreduce(world, reads);
  expect(reads == 1 || reads == size + 1, "a process reads one value, or all", world.rank());
  expect(of_all == 2 * size, "one process reads them all", world.rank());
  if (world.rank() == 0) std::printf("%ld values read by %ld processes\n", of_all, size);
  return failures;
}

int survive(World& world) {
  world.barrier();
  if (world.rank() == world.size() - 1) kill(getpid(), SIGKILL);
  try {
    world.barrier();
  } catch (const armature::Error& error) {
    std::printf("rank %d goes on: %s\n", static_cast<int>(world.rank()), error.what());
    return error.code() == armature::Errc::rank_lost ? 0 : 1;
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "1";
  const auto is_first = [](const char* variable) {
    const char* text = std::getenv(variable);
    return text != nullptr && std::string(text) == "0";
  };
  if (word == "late" && (is_first("PMIX_RANK") || is_first("PMI_RANK"))) {
    std::this_thread::sleep_for(std::chrono::hours(1));
    return 0;
  }
  const int status = armature::run(argc, argv, [&](World& world) {
    if (word == "survive") return survive(world);
    if (word == "reads") return count_reads(world);
    if (word == "status") return 3;
    if (word != "hold") return work(world, std::stoi(word));
    std::printf("rank %d is process %d\n", static_cast<int>(world.rank()), getpid());
    std::fflush(stdout);
    if (world.rank() == 0) std::this_thread::sleep_for(std::chrono::hours(1));
    world.barrier();
    return 0;
  });
  if (word != "survive") expect(status_of_forked_child() == 0, "nor does one afterwards", 0);
  return status + failures;
}

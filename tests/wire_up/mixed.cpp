// MPI and Armature in one program, their calls in turn.
//
//   mixed mpi_first         MPI_Init before armature::init, MPI_Finalize after finalize
//   mixed armature_first    the other way round
//   mixed found             MPI first, and nothing but MPI to find the job by
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <armature/armature.hpp>
#include <armature/rmi.hpp>

namespace {

int failures = 0;

void expect(bool condition, const char* what, int round) {
  if (condition) return;
  std::printf("round %d: not so: %s\n", round, what);
  ++failures;
}

struct Cell {
  long sum = 0;
  void add(long n) { sum += n; }
  [[nodiscard]] long get() const { return sum; }
};

void take_turns(armature::World& world) {
  int me = -1, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  expect(me == world.rank() && size == world.size(), "both number the ranks alike", -1);
  const int right = (me + 1) % size, left = (me + size - 1) % size;
  const auto piece = world.allocate<double>(1000);
  armature::shared<Cell> cell(world);
  std::vector<double> sent(1000), received(1000);

  for (int round = 0; round < 50; ++round) {
    for (std::size_t i = 0; i < sent.size(); ++i)
      sent[i] = me * 1e6 + round * 1e3 + static_cast<double>(i);
    armature::put(piece.on(right), sent);
    cell.async(right, &Cell::add, 1L);
    MPI_Sendrecv(sent.data(), 1000, MPI_DOUBLE, right, round, received.data(), 1000, MPI_DOUBLE,
                 left, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    armature::rmi_fence();
    double of_mpi = 0;
    const double mine = piece[999];
    MPI_Allreduce(&mine, &of_mpi, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    expect(allreduce(world, mine) == of_mpi, "both sum alike", round);
    for (std::size_t i = 0; i < received.size(); ++i)
      if (received[i] != piece[i])
        return expect(false, "a put brings what a message brings", round);
    expect(cell.sync(right, &Cell::get) == round + 1, "all calls were made", round);
    std::vector<double> back(1000);
    armature::get(back.data(), piece.on(right), 1000);
    expect(back == sent, "a get brings back what was put", round);
    // A rank that waits in MPI executes no methods: all that are asked for must have been answered
    // before.
    world.barrier();
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// Acts as if MPI had been started by something that nobody else can speak with.
void forget_launcher() {
  for (const char* variable : {"PMIX_RANK", "PMIX_NAMESPACE", "PMI_FD", "PMI_RANK", "PMI_SIZE"})
    unsetenv(variable);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "";
  if (word != "armature_first") MPI_Init(&argc, &argv);
  if (word == "found") forget_launcher();
  armature::World& world = armature::init();
  if (word == "armature_first") MPI_Init(&argc, &argv);
  take_turns(world);
  const bool first = world.rank() == 0;
  if (word == "armature_first") {
    MPI_Finalize();
    world.barrier();
    armature::finalize();
  } else {
    armature::finalize();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
  }
  if (first && failures == 0) std::printf("both agree\n");
  return failures == 0 ? 0 : 1;
}

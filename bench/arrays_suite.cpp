#include "bench/suite.hpp"

// `armature bench arrays`: copies, ghosts, products and factors of distributed arrays on two ranks.

namespace armature::bench {

namespace {

void collect(Collector& collector) {
  if (collector.wants({"remap", "transpose", "transpose.alike", "ghosts", "triad", "multiply", "lu",
                       "construct", "patch.put", "patch.get", "patch.acc", "read_increment"}))
    collector.job({.ranks = 2, .nodes = 1}, "arrays");
  if (collector.wants({"section"})) collector.job({.ranks = 2, .nodes = 2}, "arrays");
}

constexpr const char* footer =
    R"(Rows (time in ns of one call that all ranks make), for a job of 2 processes (.p2):
  remap              a matrix of whole rows becomes one of whole columns; limit: a copy loop through
                     pointers, between two barriers
  transpose          the same, transposed on the way
  ghosts             the faces of a block of 128 x 128 x 128 doubles; limit: loops through pointers
  triad              x = y + 3 z of 2^23 doubles; limit: a loop of each rank
  multiply           a product of matrices of 2048 x 2048; limit: the local products of all ranks at
                     once, without transfers
  lu                 Gaussian elimination of 4096 x 4096; limit: by one rank, while the other waits
  construct          an array of zeros, and its end
  patch.*            rank 0 puts, gets and accumulates a square patch of rank 1's block; .of2: of which
                     each has half
  read_increment     rank 0 increments an element of rank 1
  transpose.alike    from whole rows to whole rows
and of 2 ranks on pretended nodes (.nodes2):
  section            rank 0 gets a square section of rank 1's block; limit: as many bytes in a piece

bytes: of the matrix, the faces or the patch. The copies with MPI are measured by
bench/peers/arrays.c, the same with Global Arrays by bench/peers/global_arrays.c. Their lines are
what --peers takes. --peer runs them in the same run.

Examples:
  armature bench arrays
  ARMATURE_BLAS=off armature bench arrays --only multiply
  armature bench arrays --peer "mpirun.openmpi -n 2 ./global_arrays ga.openmpi" \
                        --peer "mpirun.openmpi -n 2 ./arrays openmpi")";

constexpr Aim aims[] = {
    {.op = "remap.p2", .bytes = std::size_t{512} * 512 * 8, .ratio_max = 1.1},
    {.op = "remap.p2", .bytes = std::size_t{1024} * 1024 * 8, .ratio_max = 1.1},
    {.op = "remap.p2", .bytes = std::size_t{2048} * 2048 * 8, .ratio_max = 1.1},
    {.op = "remap.p2", .bytes = std::size_t{4096} * 4096 * 8, .ratio_max = 1.1},
    {.op = "ghosts.p2", .bytes = std::size_t{6} * 128 * 128 * 8, .ratio_max = 1.15},
    {.op = "multiply.p2", .bytes = std::size_t{2048} * 2048 * 8, .ratio_max = 1.11},
    {.op = "triad.p2", .bytes = std::size_t{1} << 26, .ratio_max = 1.03},
    {.op = "section.nodes2", .bytes = std::size_t{64} * 64 * 8, .ratio_max = 1.3},
    {.op = "section.nodes2", .bytes = std::size_t{256} * 256 * 8, .ratio_max = 1.3},
    {.op = "section.nodes2", .bytes = std::size_t{512} * 512 * 8, .ratio_max = 1.3},
    {.op = "lu.p2", .bytes = std::size_t{4096} * 4096 * 8, .ratio_max = 0.588}};

}  // namespace

const Suite arrays_suite = {.name = "arrays",
                            .title = "Distributed arrays on two ranks",
                            .footer = footer,
                            .collect = collect,
                            .aims = aims,
                            .notes = nullptr};

}  // namespace armature::bench

#include "bench/suite.hpp"

// `armature bench arrays`: copies, ghosts, products and factors of distributed arrays on two ranks.

namespace armature::bench {

namespace {

void collect(Collector& collector) {
  if (collector.wants({"remap", "transpose", "ghosts", "multiply", "lu"}))
    collector.job({.ranks = 2, .nodes = 1}, "arrays");
}

constexpr const char* footer =
    R"(Rows (time in ns of one call that all ranks make), for a job of 2 processes (.p2):
  remap              a matrix of whole rows becomes one of whole columns; limit: a copy loop through
                     pointers, between two barriers
  transpose          the same, transposed on the way
  ghosts             the faces of a block of 128 x 128 x 128 doubles; limit: loops through pointers
  multiply           a product of matrices of 2048 x 2048; limit: the local products of all ranks at
                     once, without transfers
  lu                 Gaussian elimination of 2048 x 2048; limit: by one rank, while the other waits

bytes: of the matrix, or of the faces. The copies with MPI are measured by bench/peers/arrays.c,
whose lines --peers takes.

Examples:
  armature bench arrays
  ARMATURE_BLAS=off armature bench arrays --only multiply
  armature bench arrays --peers peers.tsv)";

constexpr Aim aims[] = {
    {.op = "remap.p2", .bytes = std::size_t{512} * 512 * 8, .ratio_max = 1.1},
    {.op = "remap.p2", .bytes = std::size_t{1024} * 1024 * 8, .ratio_max = 1.1},
    {.op = "remap.p2", .bytes = std::size_t{2048} * 2048 * 8, .ratio_max = 1.1},
    {.op = "remap.p2", .bytes = std::size_t{4096} * 4096 * 8, .ratio_max = 1.1},
    {.op = "ghosts.p2", .bytes = std::size_t{6} * 128 * 128 * 8, .ratio_max = 1.15},
    {.op = "multiply.p2", .bytes = std::size_t{2048} * 2048 * 8, .ratio_max = 1.11},
    {.op = "lu.p2", .bytes = std::size_t{2048} * 2048 * 8, .ratio_max = 0.59}};

}  // namespace

const Suite arrays_suite = {.name = "arrays",
                            .title = "Distributed arrays on two ranks",
                            .footer = footer,
                            .collect = collect,
                            .aims = aims,
                            .notes = nullptr};

}  // namespace armature::bench

// The product of a sparse matrix and a vector as examples/sparse_matrix computes it, by message
// passing: an owner packs the elements that another rank needs, and sends them.
//
//   mpirun -n 4 sparse_matrix_openmpi [--block 9x58x27 | --matrix FILE] [--repeat N] [--json FILE]
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "figures/rows.hpp"
#include "needs.hpp"

namespace {

using sparse::Needs;

int size_of(const std::vector<sparse::Index>& elements) {
  return static_cast<int>(elements.size());
}

class Product {
 public:
  explicit Product(const sparse::Matrix& matrix) : matrix_(matrix) {
    MPI_Comm_rank(MPI_COMM_WORLD, &me_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    dealing_ = {.rows = matrix.rows(), .ranks = ranks_};
    needs_ = needs_of(matrix, dealing_, me_);
    x_.resize(needs_.own + needs_.copies);
    y_.resize(needs_.own);
    for (std::size_t i = 0; i < needs_.own; ++i) x_[i] = sparse::element(dealing_.begin(me_) + i);
    learn_wishes();
  }

  void fetch() {
    std::vector<MPI_Request> requests(needs_.parts.size() + wishes_.size());
    MPI_Request* request = requests.data();
    for (const Needs::Part& part : needs_.parts)
      MPI_Irecv(&x_[part.place], size_of(part.elements), MPI_DOUBLE, part.owner, 0, MPI_COMM_WORLD,
                request++);
    for (Wish& wish : wishes_) {
      for (std::size_t i = 0; i < wish.elements.size(); ++i) wish.packed[i] = x_[wish.elements[i]];
      MPI_Isend(wish.packed.data(), size_of(wish.elements), MPI_DOUBLE, wish.rank, 0,
                MPI_COMM_WORLD, request++);
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }
  void product() {
    const double start = MPI_Wtime();
    fetch();
    fetching_ += MPI_Wtime() - start;
    multiply(matrix_, dealing_, me_, needs_, x_, y_);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  [[nodiscard]] bool good() const {
    const int mine = is_product(matrix_, dealing_, me_, y_) ? 1 : 0;
    int all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all != 0;
  }
  [[nodiscard]] int me() const { return me_; }
  /// Collective: each rank's seconds of fetching since the last time.
  std::vector<double> fetching() {
    std::vector<double> all(static_cast<std::size_t>(ranks_));
    MPI_Allgather(&fetching_, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, MPI_COMM_WORLD);
    fetching_ = 0;
    return all;
  }

 private:
  /// Elements of this rank that another one needs.
  struct Wish {
    int rank;
    std::vector<sparse::Index> elements;
    std::vector<double> packed;
  };

  void learn_wishes() {
    const auto ranks = static_cast<std::size_t>(ranks_);
    std::vector<int> wanted(ranks), asked(ranks);
    for (const Needs::Part& part : needs_.parts)
      wanted[static_cast<std::size_t>(part.owner)] = size_of(part.elements);
    MPI_Alltoall(wanted.data(), 1, MPI_INT, asked.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::vector<MPI_Request> requests;
    for (int rank = 0; rank < ranks_; ++rank)
      if (const int count = asked[static_cast<std::size_t>(rank)]; count > 0)
        wishes_.push_back({rank, std::vector<sparse::Index>(static_cast<std::size_t>(count)),
                           std::vector<double>(static_cast<std::size_t>(count))});
    for (Wish& wish : wishes_)
      MPI_Irecv(wish.elements.data(), size_of(wish.elements), MPI_UINT32_T, wish.rank, 1,
                MPI_COMM_WORLD, &requests.emplace_back());
    for (const Needs::Part& part : needs_.parts)
      MPI_Isend(part.elements.data(), size_of(part.elements), MPI_UINT32_T, part.owner, 1,
                MPI_COMM_WORLD, &requests.emplace_back());
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

  const sparse::Matrix& matrix_;
  int me_ = 0, ranks_ = 1;
  sparse::Dealing dealing_;
  Needs needs_;
  std::vector<double> x_, y_;
  std::vector<Wish> wishes_;
  double fetching_ = 0;
};

void write_rows(const sparse::CommandLine& line, double ms, const std::vector<double>& fetching) {
  figures::Rows rows;
  rows.add({"armci-rma-2006.23", std::to_string(fetching.size()), MPI_NAME, ms, "ms"});
  for (std::size_t rank = 0; rank < fetching.size(); ++rank)
    rows.add({"armci-rma-2006.24", std::to_string(rank), MPI_NAME,
              1e3 * fetching[rank] / line.repeat, "ms"});
  rows.write(line.json);
}

void run(const sparse::CommandLine& line) {
  const sparse::Matrix matrix = line.matrix();
  Product product(matrix);
  product.product();
  if (!product.good()) throw std::runtime_error("the product is WRONG");
  (void)product.fetching();
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < line.repeat; ++i) product.product();
  const double ms = 1e3 * (MPI_Wtime() - start) / line.repeat;
  const std::vector<double> fetching = product.fetching();
  if (product.me() != 0) return;
  const double most = 1e3 * *std::max_element(fetching.begin(), fetching.end()) / line.repeat;
  std::printf("%zu rows, %zu entries\n%-12s %8.4f ms a product, of which fetching %8.4f ms\n",
              matrix.rows(), matrix.entries(), MPI_NAME, ms, most);
  write_rows(line, ms, fetching);
  std::printf("every product, row by row: everything is right\n");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    run(sparse::parse_command_line(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sparse_matrix: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  return 0;
}

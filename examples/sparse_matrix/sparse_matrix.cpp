// The product of a sparse matrix and a vector, both spread over the ranks: the experiment of
// ARMCI's paper (armci-rma-2006, figures 23 and 24).
//
//   armature run -n 4 --nodes 4 sparse_matrix [--block 9x58x27 | --matrix FILE] [--repeat N]
//   [--json FILE]
//
// A rank has rows of the matrix, and copies of the elements of the vector that these need. In each
// product it fetches them anew from their owners, by four ways that get the same elements:
//
//   one by one    a get for each, which is waited for before the next one begins
//   non-blocking  a get for each, of which none is waited for before all are on their way
//   aggregated    the same gets, those of one owner in one aggregate handle
//   vector        one get of many pieces from each owner
//
// The matrix is the stiffness of an elastic block, of the paper's size, or a file in the format of
// the Matrix Market or of Harwell and Boeing. bench/peers/sparse_matrix is the program by message
// passing.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <armature/armature.hpp>
#include <armature/clock.hpp>

#include "command_line.hpp"
#include "figures/rows.hpp"
#include "needs.hpp"

namespace {

using armature::World;
using sparse::Needs;

/// The seconds since then, in a simulation by its clock.
double seconds_since(std::uint64_t start_ns) {
  return 1e-9 * static_cast<double>(armature::clock_ns() - start_ns);
}

/// The time of a product: of the whole, and each rank's part of it that went into fetching.
struct Timing {
  double product = 0;
  std::vector<double> fetching;
};

class Product {
 public:
  Product(World& world, const sparse::Matrix& matrix)
      : world_(world),
        matrix_(matrix),
        dealing_{.rows = matrix.rows(), .ranks = world.size()},
        needs_(needs_of(matrix, dealing_, world.rank())),
        piece_(world.allocate<double>(needs_.own)),
        x_(needs_.own + needs_.copies),
        y_(needs_.own) {
    for (std::size_t i = 0; i < needs_.own; ++i)
      x_[i] = piece_[i] = sparse::element(dealing_.begin(world.rank()) + i);
    for (const Needs::Part& part : needs_.parts) {
      aggregates_.emplace_back(armature::Rank(part.owner));
      from_.emplace_back();
      to_.emplace_back();
      for (std::size_t i = 0; i < part.elements.size(); ++i) {
        from_.back().push_back(source(part, i).address());
        to_.back().push_back(&x_[part.place + i]);
      }
    }
    world.barrier();
  }

  void one_by_one() {
    for (const Needs::Part& part : needs_.parts)
      for (std::size_t i = 0; i < part.elements.size(); ++i)
        armature::get(&x_[part.place + i], source(part, i), 1);
  }
  void non_blocking() {
    for (const Needs::Part& part : needs_.parts)
      for (std::size_t i = 0; i < part.elements.size(); ++i)
        armature::get_nbi(&x_[part.place + i], source(part, i), 1);
    armature::wait_all();
  }
  void aggregated() {
    for (std::size_t p = 0; p < needs_.parts.size(); ++p)
      for (std::size_t i = 0; i < needs_.parts[p].elements.size(); ++i)
        aggregates_[p].get(&x_[needs_.parts[p].place + i], source(needs_.parts[p], i));
    for (armature::Aggregate& each : aggregates_) each.wait();
  }
  void by_vector() {
    for (std::size_t p = 0; p < needs_.parts.size(); ++p) {
      const armature::Iov iov{.to = to_[p], .from = from_[p], .bytes = sizeof(double)};
      armature::get_vector_nbi(armature::Rank(needs_.parts[p].owner), {&iov, 1});
    }
    armature::wait_all();
  }

  /// Collective. Throws std::runtime_error when the product is not right.
  Timing time(const std::function<void()>& fetch, int repeat) {
    std::fill(x_.begin() + static_cast<std::ptrdiff_t>(needs_.own), x_.end(), 0.0);
    product(fetch);  // connects
    const int good = is_product(matrix_, dealing_, world_.rank(), y_) ? 1 : 0;
    if (allreduce(world_, good, armature::Minimum()) == 0)
      throw std::runtime_error("the product is WRONG");
    fetching_ = 0;
    world_.barrier();
    const std::uint64_t start_ns = armature::clock_ns();
    for (int i = 0; i < repeat; ++i) product(fetch);
    Timing timing{.product = seconds_since(start_ns) / repeat, .fetching = {}};
    timing.fetching = allgather(world_, fetching_ / repeat);
    return timing;
  }
  /// The elements that all ranks fetch for a product.
  [[nodiscard]] std::size_t copies() const { return allreduce(world_, needs_.copies); }

 private:
  [[nodiscard]] armature::global_ptr<double> source(const Needs::Part& part, std::size_t i) const {
    return piece_.on(part.owner) + static_cast<std::ptrdiff_t>(part.elements[i]);
  }
  void product(const std::function<void()>& fetch) {
    const std::uint64_t start_ns = armature::clock_ns();
    fetch();
    fetching_ += seconds_since(start_ns);
    multiply(matrix_, dealing_, world_.rank(), needs_, x_, y_);
    world_.barrier();  // a product's vector is the one before's product
  }

  World& world_;
  const sparse::Matrix& matrix_;
  sparse::Dealing dealing_;
  Needs needs_;
  armature::Piece<double> piece_;
  std::vector<double> x_, y_;
  std::vector<armature::Aggregate> aggregates_;  // one for each owner
  std::vector<std::vector<const void*>> from_;
  std::vector<std::vector<void*>> to_;
  double fetching_ = 0;
};

void add_rows(figures::Rows& rows, const std::string& way, const Timing& timing) {
  const int ranks = static_cast<int>(timing.fetching.size());
  rows.add({"armci-rma-2006.23", std::to_string(ranks), way, 1e3 * timing.product, "ms"});
  for (int rank = 0; rank < ranks; ++rank)
    rows.add({"armci-rma-2006.24", std::to_string(rank), way,
              1e3 * timing.fetching[static_cast<std::size_t>(rank)], "ms"});
}

int run(World& world, const sparse::CommandLine& line) {
  const sparse::Matrix matrix = line.matrix();
  Product product(world, matrix);
  const std::size_t copies = product.copies();
  if (world.rank() == 0)
    std::printf("%zu rows, %zu entries; %d ranks fetch %zu elements for a product\n", matrix.rows(),
                matrix.entries(), world.size(), copies);
  figures::Rows rows;
  const auto measure = [&](const char* way, const std::function<void()>& fetch) {
    const Timing timing = product.time(fetch, line.repeat);
    if (world.rank() != 0) return;
    double most = 0;
    for (const double each : timing.fetching) most = std::max(most, each);
    std::printf("%-12s %8.4f ms a product, of which fetching %8.4f ms\n", way, 1e3 * timing.product,
                1e3 * most);
    add_rows(rows, way, timing);
  };
  measure("one by one", [&] { product.one_by_one(); });
  measure("non-blocking", [&] { product.non_blocking(); });
  measure("aggregated", [&] { product.aggregated(); });
  measure("vector", [&] { product.by_vector(); });
  if (world.rank() == 0) {
    rows.write(line.json);
    std::printf("every product, row by row: everything is right\n");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [argc, argv](World& world) {
    try {
      return run(world, sparse::parse_command_line(argc, argv));
    } catch (const std::exception& error) {  // the same on all ranks
      if (world.rank() == 0) std::fprintf(stderr, "sparse_matrix: %s\n", error.what());
      return 2;
    }
  });
}

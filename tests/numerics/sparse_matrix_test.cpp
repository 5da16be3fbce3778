// The parts of examples/sparse_matrix by themselves: the matrix that it makes, the files that it
// reads.
#include <cmath>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "command_line.hpp"
#include "finite_elements.hpp"
#include "matrix_file.hpp"
#include "needs.hpp"

namespace sparse {
namespace {

double at(const Matrix& matrix, Index row, Index column) {
  for (std::size_t k = matrix.row_begin[row]; k < matrix.row_begin[row + 1]; ++k)
    if (matrix.columns[k] == column) return matrix.values[k];
  return 0;
}

Matrix market(const std::string& text) {
  std::istringstream in(text);
  return read_matrix_market(in);
}
Matrix boeing(const std::string& text) {
  std::istringstream in(text);
  return read_harwell_boeing(in);
}
std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "none";
}

TEST(Sparse, the_block_of_the_paper_has_its_rows_and_entries) {
  const Matrix matrix = stiffness(ElasticBlock::of_the_paper());
  EXPECT_EQ(matrix.rows(), 41092U);
  EXPECT_EQ(matrix.entries(), 1683902U);
}

// A block that moves as a whole is not strained: the rows of nodes that have no held neighbour
// sum to zero for each direction. And the matrix is symmetric.
TEST(Sparse, a_rigid_motion_needs_no_force) {
  const Matrix matrix = stiffness(ElasticBlock::parse("3x4x5"));
  const Index first_free = 12 * 3;  // the layer beside the clamped one lies before
  ASSERT_EQ(matrix.rows(), 3U * 3 * 4 * 4);
  for (Index row = first_free; row < matrix.rows(); ++row) {
    double sums[3] = {};
    for (std::size_t k = matrix.row_begin[row]; k < matrix.row_begin[row + 1]; ++k) {
      sums[matrix.columns[k] % 3] += matrix.values[k];
      EXPECT_NEAR(matrix.values[k], at(matrix, matrix.columns[k], row), 1e-15);
    }
    for (const double sum : sums) EXPECT_NEAR(sum, 0, 1e-14) << "row " << row;
    EXPECT_GT(at(matrix, row, row), 0);
  }
}

TEST(Sparse, the_matrix_market_is_read) {
  const Matrix general = market(
      "%%MatrixMarket matrix coordinate real general\n% a comment\n3 3 4\n"
      "1 1 2.5\n3 1 -1\n2 3 1e2\n3 3 4\n");
  EXPECT_EQ(general.entries(), 4U);
  EXPECT_EQ(at(general, 0, 0), 2.5);
  EXPECT_EQ(at(general, 1, 2), 100);
  EXPECT_EQ(at(general, 2, 0), -1);
  const Matrix symmetric =
      market("%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 3\n2 1 7\n");
  EXPECT_EQ(symmetric.entries(), 3U);
  EXPECT_EQ(at(symmetric, 0, 1), 7);
  const Matrix skew =
      market("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 7\n");
  EXPECT_EQ(at(skew, 0, 1), -7);
  const Matrix pattern = market("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n");
  EXPECT_EQ(at(pattern, 0, 1), 1);
}

TEST(Sparse, bad_files_of_the_matrix_market_are_named) {
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_EQ(error_of([] { (void)market("hello\n"); }), "no coordinate matrix of the Matrix Market");
  EXPECT_EQ(error_of([&] { (void)market(banner + "2 3 1\n1 1 1\n"); }),
            "2 rows and 3 columns: give a square matrix");
  EXPECT_EQ(error_of([&] { (void)market(banner + "2 2 2\n1 1 1\n"); }),
            "entry 2 of 2 is missing, or no entry");
  EXPECT_EQ(error_of([&] { (void)market(banner + "2 2 1\n3 1 1\n"); }),
            "an entry in row 3, column 1 of a matrix of 2 rows");
  EXPECT_EQ(error_of([&] { (void)market(banner + "2 2 1\n0 1 1\n"); }),
            "rows and columns are counted from 1: no 0");
  EXPECT_EQ(error_of([] { (void)read_matrix("no-such-file"); }), "no-such-file: cannot be read");
}

std::string boeing_text(const std::string& type, const std::string& body) {
  const std::string kind =
      type + "                      3             3             4             0\n";
  return "A title                                                                 key     \n"
         "             3             1             1             1             0\n" +
         kind + "(4I5)           (4I5)           (2D12.4)            \n" + body;
}

TEST(Sparse, the_format_of_harwell_and_boeing_is_read) {
  const std::string body =
      "    1    3    4    5\n    1    3    2    3\n  2.5000D+00 -1.0000D+00\n  1.0000D+02  "
      "4.0000E+00\n";
  const Matrix matrix = boeing(boeing_text("RUA", body));
  EXPECT_EQ(matrix.rows(), 3U);
  EXPECT_EQ(matrix.entries(), 4U);
  EXPECT_EQ(at(matrix, 0, 0), 2.5);
  EXPECT_EQ(at(matrix, 2, 0), -1);
  EXPECT_EQ(at(matrix, 1, 1), 100);
  EXPECT_EQ(at(matrix, 2, 2), 4);
  const Matrix symmetric = boeing(boeing_text("rsa", body));
  EXPECT_EQ(symmetric.entries(), 5U);
  EXPECT_EQ(at(symmetric, 0, 2), -1);
  const Matrix pattern = boeing(boeing_text("PUA", body));
  EXPECT_EQ(at(pattern, 1, 1), 1);
}

TEST(Sparse, bad_files_of_harwell_and_boeing_are_named) {
  EXPECT_EQ(error_of([] { (void)boeing("A title\n"); }), "it ends before its numbers of lines");
  EXPECT_EQ(error_of([] { (void)boeing(boeing_text("CUA", "")); }),
            "a matrix of type 'CUA': give RUA, RSA, RZA, PUA or PSA");
  EXPECT_EQ(error_of([] { (void)boeing(boeing_text("RUA", "    1    3    4\n")); }),
            "a short line of the columns' beginnings");
  EXPECT_EQ(error_of([] {
              (void)boeing(boeing_text("PUA", "    1    3    9    5\n    1    3    2    3\n"));
            }),
            "column 2 has no place");
}

// However many ranks there are, their parts of the product are those of the whole, and a copy is of
// an element that somebody else owns.
TEST(Sparse, shares_make_the_product_of_the_whole) {
  const Matrix matrix = stiffness(ElasticBlock::parse("3x3x4"));
  for (const int ranks : {1, 2, 3, 200}) {
    const Dealing dealing{.rows = matrix.rows(), .ranks = ranks};
    for (int rank = 0; rank < ranks; ++rank) {
      const Needs needs = needs_of(matrix, dealing, rank);
      std::vector<double> x(needs.own + needs.copies), y(needs.own);
      for (std::size_t i = 0; i < needs.own; ++i) x[i] = element(dealing.begin(rank) + i);
      for (const Needs::Part& part : needs.parts) {
        ASSERT_NE(part.owner, rank);
        for (std::size_t i = 0; i < part.elements.size(); ++i)
          x[part.place + i] = element(dealing.begin(part.owner) + part.elements[i]);
      }
      multiply(matrix, dealing, rank, needs, x, y);
      EXPECT_TRUE(is_product(matrix, dealing, rank, y)) << rank << " of " << ranks;
      if (y.empty()) continue;
      y[0] += 1;
      EXPECT_FALSE(is_product(matrix, dealing, rank, y));
    }
  }
}

}  // namespace
}  // namespace sparse

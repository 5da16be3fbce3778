// A plan says which elements of the vector a rank's rows need from others, and how it gets them.
//
// The experiment of the ARMCI papers does the same product in two ways. One does a one-sided get
// for every entry whose column lives elsewhere, not waited for one by one: between nodes that would
// be a round trip for each. The other asks for each needed element once, all that one rank owns in
// one aggregate handle. Both fill a buffer that begins with the rank's own elements; the plan says
// for every entry of the matrix where in the buffer its factor is. So the product itself is the
// same code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <armature/armature.hpp>

#include "distributed_matrix.hpp"

namespace pagerank {

enum class Fetching { one_by_one, aggregated };

struct FetchPlan {
  struct Part {
    int owner;
    std::vector<std::uint32_t> elements;  // as the owner numbers them
  };

  Fetching fetching;
  std::vector<Part> parts;           // their elements fill the buffer in this order
  std::vector<std::uint32_t> slots;  // per entry of the rank's rows, a place in the buffer
  std::size_t own = 0;               // how many of its elements are the rank's own
  std::size_t buffer_size = 0;
};

FetchPlan plan_fetching(const DistributedMatrix& matrix, int rank, Fetching fetching);

// Gets what the plan says from the pieces of `x` into the buffer behind the rank's own elements.
void fetch(const FetchPlan& plan, const armature::Piece<double>& x, std::vector<double>& buffer);

}  // namespace pagerank

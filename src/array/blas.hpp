#pragma once

#include "armature/array/product.hpp"

namespace armature::detail {

/// Does sums += factor * a * b by a BLAS of this machine. Returns false, having done nothing, if
/// there is none or the matrices are small.
bool multiply_by_blas(double* sums, const double* a, const double* b, const DenseShape& shape,
                      double factor);
bool multiply_by_blas(float* sums, const float* a, const float* b, const DenseShape& shape,
                      float factor);

}  // namespace armature::detail

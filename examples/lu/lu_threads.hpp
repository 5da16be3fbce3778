#pragma once

#include "layout.hpp"

namespace lu {

/// The result of a run of the factorisation.
struct Outcome {
  double seconds = 0.0;
  double residual = 0.0;
};

/// Factors with std::threads in this process, one for each rank of the layout. The one-sided
/// version is compared with it.
Outcome factor_with_threads(const Layout& layout);

}  // namespace lu

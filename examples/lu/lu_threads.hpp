#pragma once

#include "layout.hpp"

namespace lu {

/// What a run of the factorisation showed.
struct Outcome {
  double seconds = 0.0;
  double residual = 0.0;
};

/// The same factorisation by std::threads in this process, one for each rank of the layout: what
/// the one-sided version is compared with.
Outcome factor_with_threads(const Layout& layout);

}  // namespace lu

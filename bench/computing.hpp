#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench/sample.hpp"

namespace armature::bench {

/// Arithmetic that takes as long each time, and no call of the library.
inline void compute(std::size_t rounds) {
  std::uint64_t x = 1;
  for (std::size_t i = 0; i < rounds; ++i) {
    x = x * 6364136223846793005U + 1;
    keep(x);
  }
}

/// How many rounds of it take so long.
inline std::size_t rounds_of(double ns) {
  constexpr std::size_t tried = 200'000;
  std::vector<double> took;
  for (int i = 0; i < 5; ++i) {
    const double start = now_ns();
    compute(tried);
    took.push_back(now_ns() - start);
  }
  return static_cast<std::size_t>(ns / median(std::move(took)) * static_cast<double>(tried)) + 1;
}

}  // namespace armature::bench

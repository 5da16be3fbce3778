#pragma once

#include <random>

#include "operation.hpp"

namespace property {

using Random = std::mt19937_64;

/// The part of memory that operations may touch.
struct Window {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t bytes() const { return end - begin; }
};

/// Operations that several ranks may perform on the same places at the same time: they commute.
struct Commuting {
  bool accumulates = true;  // of one type; else atomics of one operator and size
  Type type = Type::int32;
  Atomic atomic = Atomic::add;
  std::size_t atomic_bytes = 4;
};

struct Job {
  int ranks = 1;
  std::size_t region_bytes = 0;
  std::size_t local_bytes = 0;
};

/// Generates what one rank does alone with its window of every region.
std::vector<Step> generate_exclusive(Random& random, const Job& job, Window window);
/// Generates what one rank does to a window that all share; what lies there is of the commuting
/// type.
std::vector<Step> generate_commuting(Random& random, const Job& job, Window window,
                                     const Commuting& what);

/// Draws from [low, high].
inline std::size_t between(Random& random, std::size_t low, std::size_t high) {
  return low + random() % (high - low + 1);
}
inline bool one_in(Random& random, std::size_t n) { return random() % n == 0; }

}  // namespace property

#pragma once

#include <array>
#include <cstddef>

#include "armature/array/distributed_array.hpp"
#include "armature/array/plan.hpp"
#include "armature/array/store.hpp"
#include "armature/array/transfers.hpp"

namespace armature {

/// The ghosts that are exchanged: those that lie outside of the block in one dimension, in one or
/// two, or in any number.
enum class GhostParts { faces = 1, edges = 2, corners = array_dimensions_max };

template <int N>
struct ghost_options {
  /// In which dimensions the array goes on at its other end. In the others, ghosts outside of the
  /// array stay as they are.
  std::array<bool, static_cast<std::size_t>(N)> periodic{};
  GhostParts parts = GhostParts::corners;
};

namespace detail {

/// The transfers by which a member fetches its ghosts.
class GhostTransfers {
 public:
  ARMATURE_API GhostTransfers(const ArrayStore& store,
                              const std::array<bool, array_dimensions_max>& periodic,
                              int outside_max);

  ARMATURE_API void start();
  ARMATURE_API void wait();
  [[nodiscard]] const ArrayTransfers& transfers() const { return transfers_; }

 private:
  const ArrayStore* store_;
  ArrayTransfers transfers_;
};

}  // namespace detail

/// The exchange of an array's ghosts, planned once and run any number of times. It takes one
/// message from each neighbour of another node, and allocates nothing on a node. The array lives as
/// long.
///
/// All calls are collective, partners() excepted. Between start() and wait() elements may be read
/// but not written, and ghosts not even read.
template <int N>
class ghost_exchange {
 public:
  template <class T>
  explicit ghost_exchange(distributed_array<T, N>& array, const ghost_options<N>& options = {})
      : transfers_(array.store(), for_each_dimension(options), static_cast<int>(options.parts)) {}

  void run() {
    start();
    wait();
  }
  void start() { transfers_.start(); }
  void wait() { transfers_.wait(); }
  /// How many members the caller fetches from.
  [[nodiscard]] std::size_t partners() const { return transfers_.transfers().ranks(); }
  /// How many messages it sends in each run: one to each of those that is on another node.
  [[nodiscard]] std::size_t messages() const { return transfers_.transfers().messages(); }

 private:
  static std::array<bool, array_dimensions_max> for_each_dimension(
      const ghost_options<N>& options) {
    std::array<bool, array_dimensions_max> periodic{};
    for (std::size_t d = 0; d < options.periodic.size(); ++d) periodic[d] = options.periodic[d];
    return periodic;
  }

  detail::GhostTransfers transfers_;
};

/// Collective: exchanges them once.
template <class T, int N>
void exchange_ghosts(distributed_array<T, N>& array, const ghost_options<N>& options = {}) {
  ghost_exchange<N>(array, options).run();
}

}  // namespace armature

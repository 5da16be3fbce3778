#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "armature/strided.hpp"

namespace armature::rma {

/// One side of a transfer as the bytes it consists of, one after the other: a place in a contiguous
/// piece, a subarray, or a list of pieces, that goes on where it was left. What crosses the network
/// is this stream; each side has its own idea of where the bytes lie.
class IovCursor {
 public:
  IovCursor() = default;
  [[nodiscard]] static IovCursor contiguous(std::byte* start, std::size_t bytes);
  /// As Subarray's: of levels that are not there, the arrays hold nothing.
  struct Levels {
    Levels() {}
    Levels(std::size_t how_many, const std::array<std::size_t, Strided::levels_max>& the_counts,
           const std::array<std::ptrdiff_t, Strided::levels_max>& the_strides)
        : levels(how_many), counts(the_counts), strides(the_strides) {}

    std::size_t levels = 0;
    std::array<std::size_t, Strided::levels_max> counts;
    std::array<std::ptrdiff_t, Strided::levels_max> strides;
  };
  [[nodiscard]] static IovCursor subarray(std::byte* start, std::size_t row_bytes,
                                          const Levels& levels);
  [[nodiscard]] static IovCursor pieces(std::vector<std::byte*> starts, std::size_t bytes);

  /// The contiguous bytes that come next; empty at the end.
  [[nodiscard]] std::span<std::byte> next() const { return {at_, left_}; }
  /// The length of each contiguous piece; next() may be the rest of one.
  [[nodiscard]] std::size_t row_bytes() const { return row_bytes_; }
  void skip(std::size_t bytes);
  /// Copies the next bytes; fewer at the end. Returns how many.
  std::size_t take(std::byte* to, std::size_t bytes);
  std::size_t put(const std::byte* from, std::size_t bytes);
  /// Lists where the next bytes lie, at most so many in so many places, and goes on behind them.
  /// Returns how many.
  std::size_t list(std::vector<std::span<const std::byte>>& places, std::size_t bytes,
                   std::size_t places_max);

 private:
  void next_row();

  std::byte* at_ = nullptr;
  std::size_t left_ = 0;
  std::size_t row_bytes_ = 0;
  Levels levels_;
  std::array<std::size_t, Strided::levels_max> index_{};
  std::byte* row_ = nullptr;
  std::vector<std::byte*> starts_;
  std::size_t piece_ = 0;
};

}  // namespace armature::rma

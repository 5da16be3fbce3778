#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "armature/array/columns.hpp"
#include "armature/array/distributed_array.hpp"
#include "armature/array/schedule.hpp"
#include "armature/error.hpp"

namespace armature::detail {

/// A square matrix whose columns are dealt out, to be factored.
template <class T>
class DealtColumns {
 public:
  DealtColumns(const distributed_array<T, 2>& a, std::ptrdiff_t tile)
      : tile_(chosen(a, tile)), array_(std::in_place, a.team(), a.shape(), options(a, tile_)) {
    array_->all() = a.all();
  }
  /// Collective: gives the columns back, for an error that all members throw.
  void release() { array_.reset(); }

  [[nodiscard]] std::ptrdiff_t n() const { return array_->extent(0); }
  [[nodiscard]] const Team& team() const { return array_->team(); }
  [[nodiscard]] const std::string& name() const { return array_->name(); }
  [[nodiscard]] std::ptrdiff_t tile() const { return tile_; }
  [[nodiscard]] std::ptrdiff_t end_of(std::ptrdiff_t first) const {
    return std::min(first + tile_, n());
  }
  /// The caller's columns from global column `first` on.
  [[nodiscard]] Columns<T> mine(std::ptrdiff_t first) {
    const auto local = array_->local();
    const ArrayAxis& axis = array_->layout().axis(1);
    const int me = array_->store().me();
    std::ptrdiff_t before = 0;
    if (local.extent(1) > 0)
      before =
          first / (tile_ * axis.positions()) * tile_ +
          std::clamp<std::ptrdiff_t>(first % (tile_ * axis.positions()) - me * tile_, 0, tile_);
    before = std::min(before, local.extent(1));
    return Columns<T>{local.data(), n(), n(), local.extent(1)}.part(0, before, n(),
                                                                    local.extent(1) - before);
  }
  [[nodiscard]] std::ptrdiff_t global_column(std::ptrdiff_t local) const {
    return array_->layout().axis(1).global(array_->store().me(), local);
  }
  [[nodiscard]] int owner(std::ptrdiff_t column) const {
    return array_->layout().axis(1).owner(column);
  }
  [[nodiscard]] bool has(std::ptrdiff_t column) const {
    return owner(column) == array_->store().me();
  }
  /// Gets columns [first, last), rows [from, to), one column behind the other.
  void get(std::ptrdiff_t first, std::ptrdiff_t last, std::ptrdiff_t from, std::ptrdiff_t to,
           std::vector<T>& columns) const {
    columns.resize(static_cast<std::size_t>((last - first) * (to - from)));
    (*array_)[{Range(from, to), Range(first, last)}].transposed().get(std::span<T>(columns));
  }
  [[nodiscard]] const distributed_array<T, 2>& array() const { return *array_; }

 private:
  /// The tile, unless the program gives one. A wide one goes less often through the columns behind
  /// it; of narrow ones all members have some until the end.
  static std::ptrdiff_t chosen(const distributed_array<T, 2>& a, std::ptrdiff_t tile) {
    if (tile != 0) return tile;
    constexpr std::ptrdiff_t narrow = 64, wide = 128, wide_tiles_min = 16;  // of each member
    return a.extent(1) / a.team().size() < wide * wide_tiles_min ? narrow : wide;
  }
  static array_options<2> options(const distributed_array<T, 2>& a, std::ptrdiff_t tile) {
    if (tile < 1)
      throw Error(Errc::bad_argument, "distributed_array '" + a.name() + "': tiles of " +
                                          std::to_string(tile) + " columns");
    if (a.extent(0) != a.extent(1))
      throw Error(Errc::bad_argument, "distributed_array '" + a.name() + "' of " +
                                          a.all().section().shape_text() + " is not square");
    return {.name = a.name(),
            .distribution = {Distribution::collapsed(), Distribution::cyclic(tile)},
            .order = Order::column_major};
  }

  std::ptrdiff_t tile_;
  std::optional<distributed_array<T, 2>> array_;
};

/// Right-hand sides, of which each member has some.
template <class T>
class DealtSides {
 public:
  explicit DealtSides(const distributed_array<T, 2>& b)
      : array_(b.team(), b.shape(),
               {.name = b.name(),
                .distribution = {Distribution::collapsed(), Distribution::block()},
                .order = Order::column_major}) {
    array_.all() = b.all();
  }
  [[nodiscard]] Columns<T> mine() {
    const auto local = array_.local();
    return {local.data(), local.extent(0), local.extent(0), local.extent(1)};
  }
  [[nodiscard]] const distributed_array<T, 2>& array() const { return array_; }

 private:
  distributed_array<T, 2> array_;
};

}  // namespace armature::detail

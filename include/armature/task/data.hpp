#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/container/range.hpp"
#include "armature/container/vector.hpp"
#include "armature/task/graph.hpp"
#include "armature/task/space.hpp"

// The data of tasks. They are made by all members in the same order, after the graph, and end
// before it. They wait then for the tasks of this member that are not done.

namespace armature {

/// Values of type T for tasks, each with an owner that the program chooses: `data(i)`, or
/// `data(i, j)` of rows and columns, names one. T is marshallable and default-constructible.
template <class T>
class task_data : public detail::TaskSpace {
 public:
  using Kept = T;
  using Reading = const T&;
  using Writing = T&;

  /// `count` values; owner_of(i) is the member that has value i, the same on all members. Throws
  /// Error(bad_argument) where it is none.
  template <std::invocable<std::size_t> Owner>
  task_data(task_graph& graph, std::size_t count, Owner owner_of)
      : task_data(graph, 1, count, [&](std::size_t, std::size_t i) { return owner_of(i); }) {}
  /// rows x columns values; owner_of(i, j) is the member that has the value of row i, column j.
  template <std::invocable<std::size_t, std::size_t> Owner>
  task_data(task_graph& graph, std::size_t rows, std::size_t columns, Owner owner_of)
      : TaskSpace(graph.part(), rows * columns),
        columns_(columns),
        places_(places_of(graph.team(), rows, columns, owner_of)),
        mine_(count_of(graph.team().rank())),
        use_(graph.part().engine()) {}

  [[nodiscard]] task_item<task_data> operator()(std::size_t i) {
    return {this, checked(i, "task_data")};
  }
  /// Throws Error(bad_argument) where there is no such row or column.
  [[nodiscard]] task_item<task_data> operator()(std::size_t i, std::size_t j) {
    if (j >= columns_ || i >= size() / columns_)
      throw Error(Errc::bad_argument, "task_data: there is no item (" + std::to_string(i) + ", " +
                                          std::to_string(j) + ") in " +
                                          std::to_string(columns_ == 0 ? 0 : size() / columns_) +
                                          " x " + std::to_string(columns_));
    return {this, i * columns_ + j};
  }
  [[nodiscard]] int owner(std::size_t i) const { return places_[i].owner; }

  // Used by tasks, at the owner.
  Reading read(std::size_t i) const { return mine_[places_[i].at]; }
  Writing write(std::size_t i) { return mine_[places_[i].at]; }
  const Kept& kept(std::size_t i) const { return read(i); }
  void keep(std::size_t i, Kept value) { write(i) = std::move(value); }
  static Reading read_kept(const Kept& value) { return value; }
  static Writing write_kept(Kept& value) { return value; }

 private:
  struct Place {
    int owner;
    std::size_t at;
  };
  template <class Owner>
  static std::vector<Place> places_of(const Team& team, std::size_t rows, std::size_t columns,
                                      Owner& owner_of) {
    std::vector<std::size_t> counts(static_cast<std::size_t>(team.size()));
    std::vector<Place> places;
    places.reserve(rows * columns);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) {
        const int owner = detail::checked_owner(team, owner_of(i, j), places.size(), "task_data");
        places.push_back({owner, counts[static_cast<std::size_t>(owner)]++});
      }
    return places;
  }
  [[nodiscard]] std::size_t count_of(int member) const {
    return static_cast<std::size_t>(std::ranges::count(places_, member, &Place::owner));
  }

  std::size_t columns_;
  std::vector<Place> places_;
  std::vector<T> mine_;
  detail::TaskUse use_;
};

/// The elements of a distributed_vector, or of a slice of one, as items: each has the owner that it
/// has there, and is changed in place. The vector must not change its size meanwhile.
template <class T>
class task_elements : public detail::TaskSpace {
 public:
  using Kept = std::remove_const_t<T>;
  using Reading = const Kept&;
  using Writing = T&;

  task_elements(task_graph& graph, distributed_range<T> range)
      : TaskSpace(graph.part(), range.size()),
        range_(range),
        local_(range.local()),
        use_(graph.part().engine()) {}
  task_elements(task_graph& graph, distributed_vector<T>& vector)
      : task_elements(graph, vector.view()) {}

  [[nodiscard]] task_item<task_elements> operator()(std::size_t i) {
    return {this, checked(i, "task_elements")};
  }
  [[nodiscard]] int owner(std::size_t i) const { return range_.owner(i); }

  Reading read(std::size_t i) const { return local_[i - range_.offset()]; }
  Writing write(std::size_t i) { return local_[i - range_.offset()]; }
  const Kept& kept(std::size_t i) const { return read(i); }
  void keep(std::size_t i, Kept value) { write(i) = std::move(value); }
  static Reading read_kept(const Kept& value) { return value; }
  static Writing write_kept(Kept& value) { return value; }

 private:
  distributed_range<T> range_;
  std::span<T> local_;
  detail::TaskUse use_;
};

/// A vector, or a slice of one, in blocks of contiguous elements, each with one member: tasks get
/// them as std::span. A member's piece is divided into blocks of `length` elements, the last of
/// which may be shorter.
template <class T>
class task_blocks : public detail::TaskSpace {
 public:
  using Kept = std::vector<std::remove_const_t<T>>;
  using Reading = std::span<const T>;
  using Writing = std::span<T>;

  /// Throws Error(bad_argument) for a length of 0.
  task_blocks(task_graph& graph, distributed_range<T> range, std::size_t length)
      : task_blocks(graph, range, blocks_of(range, length)) {}
  task_blocks(task_graph& graph, distributed_vector<T>& vector, std::size_t length)
      : task_blocks(graph, vector.view(), length) {}

  [[nodiscard]] task_item<task_blocks> operator()(std::size_t i) {
    return {this, checked(i, "task_blocks")};
  }
  [[nodiscard]] int owner(std::size_t i) const { return blocks_[i].owner; }
  /// The index in the range of the block's first element.
  [[nodiscard]] std::size_t first(std::size_t i) const { return blocks_[i].first; }
  [[nodiscard]] std::size_t count(std::size_t i) const { return blocks_[i].count; }

  Reading read(std::size_t i) const { return section(i); }
  Writing write(std::size_t i) { return section(i); }
  Kept kept(std::size_t i) const {
    const auto values = section(i);
    return Kept(values.begin(), values.end());
  }
  void keep(std::size_t i, Kept value) { std::ranges::move(value, section(i).begin()); }
  static Reading read_kept(const Kept& value) { return value; }
  static Writing write_kept(Kept& value) { return value; }

 private:
  struct Block {
    int owner;
    std::size_t first, count;
  };
  static std::vector<Block> blocks_of(const distributed_range<T>& range, std::size_t length) {
    if (length == 0)
      throw Error(Errc::bad_argument, "task_blocks: a block of no elements cannot be");
    std::vector<Block> blocks;
    for (int m = 0; m < range.team().size(); ++m) {
      const std::size_t end = range.begin_of(m + 1);
      for (std::size_t at = range.begin_of(m); at < end; at += length)
        blocks.push_back({m, at, std::min(length, end - at)});
    }
    return blocks;
  }
  task_blocks(task_graph& graph, distributed_range<T> range, std::vector<Block> blocks)
      : TaskSpace(graph.part(), blocks.size()),
        offset_(range.offset()),
        local_(range.local()),
        blocks_(std::move(blocks)),
        use_(graph.part().engine()) {}
  std::span<T> section(std::size_t i) const {
    return local_.subspan(blocks_[i].first - offset_, blocks_[i].count);
  }

  std::size_t offset_;
  std::span<T> local_;
  std::vector<Block> blocks_;
  detail::TaskUse use_;
};

}  // namespace armature

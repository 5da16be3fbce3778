#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "armature/array/distributed_array.hpp"
#include "armature/array/plan.hpp"
#include "armature/array/section.hpp"
#include "armature/array/use.hpp"
#include "armature/array/view.hpp"
#include "armature/error.hpp"
#include "armature/view/concepts.hpp"

// Views of distributed_array. A section of one is sliced, strided, transposed or permuted already:
// its view has the elements of that, numbered in the order of a C array of the section's shape.

namespace armature {

namespace detail {
template <class T, int N>
inline constexpr bool is_of_local_memory<array_view<T, N>> = true;
}  // namespace detail

/// The elements of a section, where they lie. local() needs a table of 16 bytes for each element of
/// the caller; section_transform.hpp needs none.
template <class T>
class section_view {
  using Section = array_section<T>;

  /// The place of one of my elements in my memory, and its index.
  struct Place {
    std::ptrdiff_t at;
    std::size_t index;
  };

 public:
  using element_view = void;
  explicit section_view(const Section& section) : section_(section) {
    if (section_.store().is_replicated())
      throw Error(Errc::bad_argument, "distributed_array '" + section_.store().name() +
                                          "' is replicated: there is no view of its elements");
  }
  [[nodiscard]] const Team& team() const { return section_.store().team(); }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(section_.size()); }
  void fence() const { team().barrier(); }
  [[nodiscard]] auto local() const {
    if constexpr (!std::is_const_v<T>)
      section_.store().require_use(detail::ArrayUse::local_access, [] { return "a view"; });
    T* const memory = reinterpret_cast<T*>(section_.store().mine());
    const auto mine = places();
    const std::size_t count = mine.size();
    return detail::each_of(
        count,
        [memory, mine = std::make_shared<const std::vector<Place>>(std::move(mine))](
            std::size_t k) -> T& { return memory[(*mine)[k].at]; });
  }
  [[nodiscard]] auto indices() const {
    auto mine = std::make_shared<const std::vector<Place>>(places());
    const std::size_t count = mine->size();
    return detail::each_of(count, [mine](std::size_t k) { return (*mine)[k].index; });
  }
  /// Whether the caller's elements follow each other in memory.
  [[nodiscard]] bool is_contiguous() const {
    const auto mine = places();
    for (std::size_t k = 1; k < mine.size(); ++k)
      if (mine[k].at != mine[k - 1].at + 1) return false;
    return true;
  }

 private:
  [[nodiscard]] std::vector<Place> places() const {
    const detail::ArraySection& section = section_.section();
    detail::PerDimension strides{};
    std::ptrdiff_t stride = 1;
    for (int k = section.open; k-- > 0; stride *= section.count(k))
      strides[static_cast<std::size_t>(k)] = stride;
    std::vector<Place> found;
    const auto& layout = section_.store().layout();
    for (const auto& partner : detail::plan_section(layout, section, strides))
      if (partner.member == section_.store().me())
        for (const auto& box : partner.boxes)
          add(found, box, box.levels - 1, box.remote, box.local);
    return found;
  }
  static void add(std::vector<Place>& found, const detail::ArrayBox& box, int level,
                  std::ptrdiff_t at, std::ptrdiff_t index) {
    if (level < 0) {
      found.push_back({at, static_cast<std::size_t>(index)});
      return;
    }
    const auto& here = box.level[static_cast<std::size_t>(level)];
    for (std::ptrdiff_t i = 0; i < here.count; ++i)
      add(found, box, level - 1, at + i * here.remote_stride, index + i * here.local_stride);
  }

  Section section_;
};

/// The rows or columns of a matrix, each as an array_view<T, 1>. Each lies wholly with one member.
template <class T>
class lines_view {
 public:
  using element_view = void;
  /// `across`: the dimension that numbers the lines.
  template <class Array>
  lines_view(Array& array, int across, const char* call)
      : team_(&array.team()), local_(array.local()), across_(static_cast<std::size_t>(across)) {
    if (array.store().is_replicated())
      throw Error(Errc::bad_argument,
                  std::string(call) + ": distributed_array '" + array.name() + "' is replicated");
    const int along = 1 - across;
    const int positions = array.grid()[static_cast<std::size_t>(along)];
    if (positions != 1)
      throw Error(Errc::bad_argument, std::string(call) + ": distributed_array '" + array.name() +
                                          "' is divided in dimension " + std::to_string(along) +
                                          " among " + std::to_string(positions) +
                                          " members: no member has a whole one");
    size_ = static_cast<std::size_t>(array.extent(across));
    for (std::ptrdiff_t i = 0; i < local_.extent(across); ++i) {
      typename std::remove_const_t<Array>::Indices at{};
      at[across_] = i;
      numbers_.push_back(static_cast<std::size_t>(array.global(at)[across_]));
    }
  }
  [[nodiscard]] const Team& team() const { return *team_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  void fence() const { team_->barrier(); }
  [[nodiscard]] auto local() const {
    return detail::each_of(numbers_.size(), [all = local_, across = across_](std::size_t k) {
      std::array<std::ptrdiff_t, 2> first{};
      first[across] = static_cast<std::ptrdiff_t>(k);
      const std::size_t along = 1 - across;
      return array_view<T, 1>(&all[first], {all.extents()[along]}, {all.strides()[along]});
    });
  }
  [[nodiscard]] auto indices() const {
    return detail::each_of(numbers_.size(),
                           [numbers = numbers_](std::size_t k) { return numbers[k]; });
  }
  /// Whether the elements of a line follow each other in memory.
  [[nodiscard]] bool is_contiguous() const { return local_.strides()[1 - across_] == 1; }

 private:
  const Team* team_;
  array_view<T, 2> local_;
  std::size_t across_;
  std::size_t size_ = 0;
  std::vector<std::size_t> numbers_;  // of my lines
};

namespace views {

/// Throws Error(bad_argument) for a replicated array.
template <class T>
[[nodiscard]] section_view<T> all(const array_section<T>& section) {
  return section_view<T>(section);
}
template <class T, int N>
[[nodiscard]] section_view<T> all(distributed_array<T, N>& array) {
  return section_view<T>(array.all());
}
template <class T, int N>
[[nodiscard]] section_view<const T> all(const distributed_array<T, N>& array) {
  return section_view<const T>(array.all());
}
/// The rows, and the columns, of a matrix that is not divided along them. Throws
/// Error(bad_argument), which names the array.
template <class T>
[[nodiscard]] lines_view<T> rows(distributed_array<T, 2>& array) {
  return lines_view<T>(array, 0, "views::rows");
}
template <class T>
[[nodiscard]] lines_view<T> columns(distributed_array<T, 2>& array) {
  return lines_view<T>(array, 1, "views::columns");
}

}  // namespace views
}  // namespace armature

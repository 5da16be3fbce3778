#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "descriptor.hpp"
#include "elements.hpp"

// Sections: elements of an array, in Fortran's order, by triplets and vector subscripts. All is in
// bytes here.

namespace caf {

/// One dimension of a section.
struct Axis {
  std::size_t count = 0;
  std::ptrdiff_t stride = 0;
  std::vector<std::ptrdiff_t> distances =
      {};  // of each one from the first address; empty: by the stride
};

class Section {
 public:
  explicit Section(std::byte* begin) : begin_(begin) {}

  [[nodiscard]] std::byte* begin() const { return begin_; }
  void move(std::ptrdiff_t bytes) { begin_ += bytes; }
  /// Makes it a scalar at that address.
  void restart(std::byte* begin) {
    begin_ = begin;
    rank_ = 0;
  }
  /// Dimensions of one element are as good as none. Those that go on without a gap are one.
  void add(Axis axis);
  /// Adds every count-th element of `extent` ones, from the first on.
  void add(std::size_t count, std::ptrdiff_t stride) { add(Axis{count, stride}); }

  [[nodiscard]] std::size_t elements() const;
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] const Axis& axis(int number) const {
    return axes_[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] bool has_vectors() const;
  /// Whether elements of so many bytes lie one behind the other.
  [[nodiscard]] bool is_dense(std::size_t element_bytes) const;

  /// Calls each(address) for each element.
  template <class Each>
  void for_each(Each each) const {
    for_each_row([&](std::byte* row, const Axis& first) {
      for (std::size_t i = 0; i < first.count; ++i) each(row + distance(first, i));
    });
  }
  /// Calls each(address of its first element, the first dimension) for each row.
  template <class Each>
  void for_each_row(Each each) const {
    static const Axis one{1, 0};
    if (elements() == 0) return;
    std::array<std::size_t, dimensions_max> index{};
    const Axis& first = rank_ > 0 ? axes_[0] : one;
    while (true) {
      std::byte* row = begin_;
      for (int i = 1; i < rank_; ++i) row += distance(axis(i), index[static_cast<std::size_t>(i)]);
      each(row, first);
      int i = 1;
      while (i < rank_ && ++index[static_cast<std::size_t>(i)] == axis(i).count)
        index[static_cast<std::size_t>(i++)] = 0;
      if (i >= rank_) return;
    }
  }
  [[nodiscard]] static std::ptrdiff_t distance(const Axis& axis, std::size_t index) {
    return axis.distances.empty() ? static_cast<std::ptrdiff_t>(index) * axis.stride
                                  : axis.distances[index];
  }

 private:
  std::byte* begin_;
  int rank_ = 0;
  std::array<Axis, dimensions_max> axes_;
};

/// The section of an array that begins at `begin`; `subscripts` is null or has one for each
/// dimension.
[[nodiscard]] Section section_of(const Descriptor& array, std::byte* begin,
                                 const Subscripts* subscripts = nullptr);
[[nodiscard]] ElementType element_of(const Descriptor& array, int kind);
/// The bytes from one element to the next one, for a stride of 1.
[[nodiscard]] std::ptrdiff_t span_of(const Descriptor& array);
/// The vector's subscripts, less `lower`, times `stride`.
[[nodiscard]] std::vector<std::ptrdiff_t> distances_of(const void* values, std::size_t count,
                                                       int kind, std::ptrdiff_t lower,
                                                       std::ptrdiff_t stride);

/// Assigns all elements; a scalar is assigned to each. Throws Refusal for sections of different
/// sizes.
void assign(const Section& to, const ElementType& to_type, const Section& from,
            const ElementType& from_type);

}  // namespace caf

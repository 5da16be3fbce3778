#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <armature/array.hpp>
#include <armature/run.hpp>

#include "array.hpp"

// An array of elements T and N dimensions behind the interface that any language can call.

namespace compat_arrays {

template <class T>
constexpr std::int32_t element_of() {
  if (std::same_as<T, std::int32_t>) return ARMATURE_ARRAYS_INT32;
  if (std::same_as<T, std::int64_t>) return ARMATURE_ARRAYS_INT64;
  if (std::same_as<T, float>) return ARMATURE_ARRAYS_REAL32;
  if (std::same_as<T, double>) return ARMATURE_ARRAYS_REAL64;
  return std::same_as<T, std::complex<float>> ? ARMATURE_ARRAYS_COMPLEX32
                                              : ARMATURE_ARRAYS_COMPLEX64;
}

/// A real number as an element.
template <class T>
T number(double value) {
  if constexpr (requires { typename T::value_type; })
    return T(static_cast<typename T::value_type>(value));
  else
    return static_cast<T>(value);
}

/// Arrays of one type and any number of dimensions, whose sections can be copied to each other.
template <class T>
class TypedArray : public armature_array {
 public:
  [[nodiscard]] std::int32_t element() const final { return element_of<T>(); }
  [[nodiscard]] virtual armature::array_section<T> section(const Section* section) = 0;

  void transfer(std::int32_t verb, const Section* where, void* data, std::int64_t count,
                const void* scale) final {
    const auto elements = section(where).transposed();  // in the order of Fortran
    if (count != elements.size())
      refuse("distributed_array '" + name() + "': a section of " + std::to_string(elements.size()) +
             " elements and " + std::to_string(count) + " values");
    const std::span<T> values(static_cast<T*>(data), static_cast<std::size_t>(count));
    if (verb == ARMATURE_ARRAYS_PUT)
      elements.put(values);
    else if (verb == ARMATURE_ARRAYS_GET)
      elements.get(values);
    else
      elements.accumulate(values, scale == nullptr ? T(1) : *static_cast<const T*>(scale));
  }
  void copy(const Section* where, armature_array& from, const Section* from_where,
            const std::int32_t* order) final {
    const auto source = dynamic_cast<TypedArray&>(from).section(from_where);
    if (order == nullptr) return armature::copy(section(where), source);
    std::vector<int> numbers(order, order + source.dimensions());
    for (int& number : numbers) --number;
    armature::copy(section(where), source.permuted(numbers));
  }
};

inline std::vector<std::ptrdiff_t> lengths_of(const armature_arrays_distribution& one) {
  return {one.numbers, one.numbers + one.count};
}
inline armature::Distribution distribution_of(const armature_arrays_distribution& one) {
  using armature::Distribution;
  const bool has_length = one.count > 0;
  switch (one.kind) {
    case ARMATURE_ARRAYS_BLOCK:
      return has_length ? Distribution::block(one.numbers[0]) : Distribution::block();
    case ARMATURE_ARRAYS_CYCLIC:
      return has_length ? Distribution::cyclic(one.numbers[0]) : Distribution::cyclic();
    case ARMATURE_ARRAYS_LENGTHS:
      return Distribution::gen_block(lengths_of(one));
    case ARMATURE_ARRAYS_MAP: {
      const auto owners = lengths_of(one);
      return Distribution::map({owners.begin(), owners.end()});
    }
    case ARMATURE_ARRAYS_COLLAPSED:
      return Distribution::collapsed();
    case ARMATURE_ARRAYS_REPLICATED:
      return Distribution::replicated();
    default:
      refuse("a distribution of kind " + std::to_string(one.kind));
  }
}

template <class T, int N>
class ShapedArray final : public TypedArray<T> {
  using Array = armature::distributed_array<T, N>;
  static constexpr auto count = static_cast<std::size_t>(N);

 public:
  explicit ShapedArray(const armature_arrays_request& request)
      : array_(armature::world(), shape_of(request), options_of(request)) {}

  [[nodiscard]] std::int32_t dimensions() const override { return N; }
  [[nodiscard]] const std::string& name() const override { return array_.name(); }
  void shape(std::int64_t* shape) const override {
    for (int d = 0; d < N; ++d) shape[d] = array_.extent(d);
  }
  [[nodiscard]] armature::array_section<T> section(const Section* section) override {
    return section == nullptr ? array_.all() : array_[ranges_of(*section)];
  }
  void exchange_ghosts(const std::int32_t* periodic, std::int32_t parts) override {
    armature::ghost_options<N> options{.parts = static_cast<armature::GhostParts>(parts)};
    for (std::size_t d = 0; d < count; ++d)
      options.periodic[d] = periodic != nullptr && periodic[d] != 0;
    if (!ghosts_ || options.periodic != periodic_ || parts != parts_) {
      ghosts_.emplace(array_, options);
      periodic_ = options.periodic;
      parts_ = parts;
    }
    ghosts_->run();
  }
  void local(void** data, std::int64_t* lower, std::int64_t* upper) override {
    static T nothing{};  // Fortran's pointers of no element point somewhere
    const auto mine = array_.local();
    const auto memory = array_.local_memory();
    *data = memory.empty() ? &nothing : memory.data();
    const auto& layout = array_.layout();
    for (int d = 0; d < N; ++d) {
      const auto k = static_cast<std::size_t>(d);
      const std::ptrdiff_t width = memory.empty() ? 0 : layout.ghosts(d);
      std::ptrdiff_t first = 0;
      if (layout.axis(d).is_contiguous() && !memory.empty()) first = array_.region()[k].first();
      lower[k] = first + 1 - width;
      upper[k] = memory.empty() ? 0 : first + mine.extent(d) + width;
    }
  }
  void region(std::int32_t rank, std::int64_t* lower, std::int64_t* upper) const override {
    if (rank < 0 || rank >= array_.team().size())
      refuse("distributed_array '" + name() + "': there is no rank " + std::to_string(rank));
    const auto ranges = array_.region(rank);
    for (std::size_t d = 0; d < count; ++d) {
      lower[d] = ranges[d].first() + 1;
      upper[d] = ranges[d].first() + ranges[d].count();
    }
  }
  void fence() const override { array_.fence(); }
  void fill(const void* value) override { armature::fill(array_, *static_cast<const T*>(value)); }
  void scale(const void* by) override { armature::scale(array_, *static_cast<const T*>(by)); }
  void add(const void* alpha, armature_array& a, const void* beta, armature_array& b) override {
    armature::add(array_, *static_cast<const T*>(alpha), same(a), *static_cast<const T*>(beta),
                  same(b));
  }
  void sum(void* result) const override { *static_cast<T*>(result) = armature::sum(array_); }
  void dot(armature_array& other, void* result) const override {
    const Array& others = same(other);
    if (array_.shape() != others.shape())
      refuse("dot: '" + name() + "' and '" + other.name() + "' have different shapes");
    *static_cast<T*>(result) = armature::dot(array_, others);
  }
  void extreme(bool is_largest, void* value, std::int64_t* place) const override {
    if constexpr (std::totally_ordered<T>) {
      const auto found = is_largest ? armature::maximum(array_) : armature::minimum(array_);
      *static_cast<T*>(value) = found.value;
      for (std::size_t d = 0; d < count; ++d) place[d] = found.at[d] + 1;
    } else {
      refuse("distributed_array '" + name() + "': complex numbers have no order");
    }
  }
  [[nodiscard]] double norm() const override {
    return static_cast<double>(armature::norm_2(array_));
  }
  void multiply(armature_array& a, armature_array& b, const Product& how) override {
    if constexpr (N == 2)
      armature::multiply(array_, same(a), same(b),
                         {.alpha = number<T>(how.alpha),
                          .beta = number<T>(how.beta),
                          .transposes_a = how.transposes_a,
                          .transposes_b = how.transposes_b});
    else
      refuse("distributed_array '" + name() + "' is no matrix");
  }

 private:
  static typename Array::Indices shape_of(const armature_arrays_request& request) {
    typename Array::Indices shape{};
    std::copy_n(request.shape, N, shape.begin());
    return shape;
  }
  static armature::array_options<N> options_of(const armature_arrays_request& request) {
    armature::array_options<N> options{.name = request.name,
                                       .order = armature::Order::column_major};
    for (std::size_t d = 0; d < count; ++d) {
      if (request.distributions != nullptr)
        options.distribution[d] = distribution_of(request.distributions[d]);
      if (request.grid != nullptr) options.grid[d] = request.grid[d];
      if (request.ghosts != nullptr) options.ghosts[d] = request.ghosts[d];
    }
    return options;
  }
  [[nodiscard]] typename Array::Ranges ranges_of(const Section& section) const {
    if (section.dimensions != N)
      refuse("distributed_array '" + name() + "' of " + std::to_string(N) +
             " dimensions: a section of " + std::to_string(section.dimensions));
    typename Array::Ranges ranges;
    for (std::size_t d = 0; d < count; ++d) {
      const std::ptrdiff_t lower = section.lower[d], upper = section.upper[d],
                           step = section.step[d];
      ranges[d] = armature::Range(lower - 1, step > 0 ? upper : upper - 2, step);
      if (step == 0) refuse("distributed_array '" + name() + "': a step of 0");
      if (ranges[d].count() == 0) {
        ranges[d] = armature::Range(0, 0);
        continue;
      }
      const std::ptrdiff_t last = ranges[d][ranges[d].count() - 1] + 1;
      const std::ptrdiff_t extent = array_.extent(static_cast<int>(d));
      for (const std::ptrdiff_t index : {lower, last})
        if (index < 1 || index > extent)
          refuse("distributed_array '" + name() + "': index " + std::to_string(index) +
                 " of dimension " + std::to_string(d + 1) +
                 " is not in 1:" + std::to_string(extent));
    }
    return ranges;
  }
  /// The array within another of the same kind.
  [[nodiscard]] Array& same(armature_array& other) const {
    auto* const shaped = dynamic_cast<ShapedArray*>(&other);
    if (shaped == nullptr)
      refuse("distributed_array '" + other.name() + "' has not the type and the number of " +
             "dimensions of '" + name() + "'");
    return shaped->array_;
  }

  Array array_;
  std::optional<armature::ghost_exchange<N>> ghosts_;
  std::array<bool, count> periodic_{};
  std::int32_t parts_ = 0;
};

template <class T, int N = 1>
std::unique_ptr<armature_array> make_shaped(const armature_arrays_request& request) {
  if (request.dimensions == N) return std::make_unique<ShapedArray<T, N>>(request);
  if constexpr (N < ARMATURE_ARRAYS_DIMENSIONS_MAX) return make_shaped<T, N + 1>(request);
  refuse(std::string("distributed_array '") + request.name + "' of " +
         std::to_string(request.dimensions) + " dimensions: there are 1 to " +
         std::to_string(ARMATURE_ARRAYS_DIMENSIONS_MAX));
}

}  // namespace compat_arrays

#include "references.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include <armature/get.hpp>

#include "libcaf12.hpp"

// References to parts of a coarray of a derived type: `a[2]%b(3)%c(1:2)`. Components that are
// allocatable or pointers lie anywhere in the image's memory; their descriptors lie in the object
// that has them. So this image reads those on its way. A record that the other image answers was
// rejected: it would have to be waiting.

namespace caf {
namespace {

/// The way so far: a section at a rank, and the descriptor of the array that is next.
class Walk {
 public:
  Walk(const Coarray& coarray, armature::Rank rank)
      : rank_(rank), section_(at_rank(*coarray.image, coarray.mine, rank)) {
    const Descriptor* const bounds = bounds_of(coarray);
    has_bounds_ = bounds != nullptr;
    if (has_bounds_) bounds_ = copy_of(*bounds);
  }

  void step(const Reference& reference) {
    switch (reference.part) {
      case Part::component:
        return step_to_component(reference);
      case Part::array:
        if (!has_bounds_) refuse("the compiler has left out an array's bounds");
        return step_to_elements(reference, true);
      case Part::static_array:
        return step_to_elements(reference, false);
    }
  }
  /// Whether there is something: pointers on the way that are null have ended it.
  [[nodiscard]] bool is_there() const { return is_there_; }
  [[nodiscard]] const Section& section() const { return section_; }
  [[nodiscard]] armature::Rank rank() const { return rank_; }
  [[nodiscard]] const std::vector<std::size_t>& shape() const { return shape_; }

 private:
  template <class T>
  T fetched(const std::byte* address) const {
    T value;
    armature::get_bytes(&value, armature::global_ptr<const void>(rank_, address), sizeof value);
    return value;
  }

  void step_to_component(const Reference& reference) {
    has_bounds_ = false;
    section_.move(reference.component.offset);
    if (reference.component.token_offset == 0) return;
    if (section_.rank() > 0)
      refuse("an allocatable or pointer component follows a section of an array");
    const bool is_array = reference.next != nullptr && reference.next->part == Part::array;
    void* base = nullptr;
    if (is_array) {
      bounds_ = fetched_bounds(section_.begin());
      has_bounds_ = true;
      base = bounds_.base;
    } else {
      base = fetched<void*>(section_.begin());
    }
    is_there_ = is_there_ && base != nullptr;
    section_.restart(static_cast<std::byte*>(base));
  }

  /// The descriptor may be the last thing in its object, and has as many dimensions as it says.
  Descriptor fetched_bounds(const std::byte* address) const {
    Descriptor bounds;
    const armature::global_ptr<const void> from(rank_, address);
    armature::get_bytes(&bounds, from, descriptor_head_bytes);
    const int rank = std::clamp(bounds.rank(), 0, dimensions_max);
    armature::get_bytes(bounds.dimensions,
                        {rank_, static_cast<const void*>(address + descriptor_head_bytes)},
                        static_cast<std::size_t>(rank) * sizeof(Dimension));
    return bounds;
  }

  void step_to_elements(const Reference& reference, bool has_bounds) {
    // A static array's subscripts count elements of the whole array, from 0.
    for (int i = 0; i < dimensions_max && reference.array.mode[i] != Mode::none; ++i) {
      const Dimension whole{1, 0, PTRDIFF_MAX - 1};
      const Dimension& dimension = has_bounds ? bounds_.dimensions[i] : whole;
      const auto bytes = static_cast<std::ptrdiff_t>(reference.item_bytes);
      step_to_elements(reference.array.mode[i], reference.array.dimensions[i], dimension,
                       dimension.stride * bytes, has_bounds);
    }
    has_bounds_ = false;
  }

  void step_to_elements(Mode mode, const Reference::Range& range, const Dimension& dimension,
                        std::ptrdiff_t stride, bool has_bounds) {
    if (mode == Mode::vector) {
      Axis axis{range.vector.count, 0,
                distances_of(range.vector.values, range.vector.count, range.vector.kind,
                             dimension.lower, stride)};
      if (has_bounds)
        for (const std::ptrdiff_t at : axis.distances)
          require_inside(dimension.lower + (stride == 0 ? 0 : at / stride), dimension);
      shape_.push_back(axis.count);
      return section_.add(std::move(axis));
    }
    const Reference::Triplet& triplet = range.triplet;
    if (mode == Mode::single) {
      if (has_bounds) require_inside(triplet.first, dimension);
      return section_.move((triplet.first - dimension.lower) * stride);
    }
    const bool has_first = !has_bounds || mode == Mode::range || mode == Mode::open_end;
    const bool has_last = !has_bounds || mode == Mode::range || mode == Mode::open_start;
    const std::ptrdiff_t first = has_first ? triplet.first : dimension.lower;
    const std::ptrdiff_t last = has_last ? triplet.last : dimension.upper;
    const std::ptrdiff_t count =
        triplet.step == 0
            ? 0
            : std::max<std::ptrdiff_t>((last - first + triplet.step) / triplet.step, 0);
    if (has_bounds && count > 0) {
      require_inside(first, dimension);
      require_inside(first + (count - 1) * triplet.step, dimension);
    }
    section_.move((first - dimension.lower) * stride);
    shape_.push_back(static_cast<std::size_t>(count));
    section_.add(static_cast<std::size_t>(count), triplet.step * stride);
  }

  void require_inside(std::ptrdiff_t subscript, const Dimension& dimension) const {
    if (!is_there_ || (subscript >= dimension.lower && subscript <= dimension.upper)) return;
    refuse("subscript " + std::to_string(subscript) + " is outside the bounds " +
           std::to_string(dimension.lower) + ":" + std::to_string(dimension.upper));
  }

  armature::Rank rank_;
  Section section_;
  Descriptor bounds_{};
  bool has_bounds_ = false;
  bool is_there_ = true;
  std::vector<std::size_t> shape_;
};

Walk start(const Coarray* coarray, int image_number) {
  return {*coarray, place_of(coarray, 0, image_number).rank};
}

}  // namespace

Followed follow(const Coarray* coarray, int image_number, const Reference* references, int kind,
                int type) {
  Walk walk = start(coarray, image_number);
  std::size_t bytes = coarray->bytes;
  for (const Reference* at = references; at != nullptr; at = at->next) {
    walk.step(*at);
    if (!walk.is_there())
      refuse("a component is not allocated, or not associated, at image " +
             std::to_string(image_number));
    bytes = at->item_bytes;
  }
  return {{walk.rank(), walk.section(), {static_cast<Type>(type), kind, bytes}}, walk.shape()};
}

bool is_allocated(const Coarray* coarray, int image_number, const Reference* references) {
  if (coarray == nullptr) return false;
  Walk walk = start(coarray, image_number);
  for (const Reference* at = references; at != nullptr && walk.is_there(); at = at->next) {
    // The last array stands for itself: its elements are not asked for.
    if (at->next == nullptr && at->part != Part::component) break;
    walk.step(*at);
  }
  return walk.is_there();
}

}  // namespace caf

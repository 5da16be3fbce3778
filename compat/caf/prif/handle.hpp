#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../coarray.hpp"
#include "arrays.hpp"

namespace caf::prif {

/// A coarray with its cobounds: what a handle, a prif_coarray_handle, points to. An alias has the
/// memory of another one.
struct Shape {
  struct Allocation {
    void* token = nullptr;  // a Coarray; null when it has ended with its team
    Descriptor memory{};
    TeamOfImages* team = nullptr;
    std::size_t bytes = 0;
    void* context = nullptr;      // the caller's
    void (*cleanup)() = nullptr;  // called when it ends
    int compiler_version = 1;     // of the caller's arrays
    Shape* first = nullptr;       // whose handle the caller got
  };

  Allocation* allocation;
  std::size_t offset = 0;  // of an alias
  bool is_alias = false;
  std::vector<std::int64_t> lower = {}, upper = {};  // the last of `upper` may be left out
};

/// A variable of type prif_coarray_handle.
struct Handle {
  Shape* shape;
};

/// Throws Refusal.
[[nodiscard]] Shape& shape_of(const Handle& handle);
[[nodiscard]] Coarray& coarray_of(const Handle& handle);

/// The place of so many bytes at an image of the initial team. Throws Refusal.
[[nodiscard]] Place place_of(const Handle& handle, std::size_t offset, std::size_t bytes,
                             int image_number);
/// The place that an address of that image means.
[[nodiscard]] Place place_of(std::intptr_t address, int image_number);

}  // namespace caf::prif

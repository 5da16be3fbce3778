#pragma once

#include <vector>

#include "../coarray.hpp"
#include "../descriptor.hpp"
#include "../transfer.hpp"

namespace caf {

struct Followed {
  RemoteSection what;
  std::vector<std::size_t> shape;  // as the program sees it, with dimensions of one element
};

/// Follows the references from a coarray at an image to what they mean there. `kind` and `type` are
/// those of the last part. Throws Refusal for what is not allocated, and for subscripts outside
/// bounds.
[[nodiscard]] Followed follow(const Coarray* coarray, int image_number, const Reference* references,
                              int kind, int type);
/// Whether what the references mean is allocated.
[[nodiscard]] bool is_allocated(const Coarray* coarray, int image_number,
                                const Reference* references);

}  // namespace caf

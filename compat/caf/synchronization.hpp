#pragma once

#include "image.hpp"

// Statements that synchronize images (Fortran 2018, 11.6.3 to 11.6.6). All throw Refusal for images
// that are gone.

namespace caf {

/// `sync all`: with the images of the current team.
void synchronize_all(Image& me);
/// `sync memory`.
void synchronize_memory();
/// `sync images`: with `count` images of the current team; a negative count means all of them.
void synchronize_with(Image& me, int count, const int* images);

}  // namespace caf

#pragma once

#include <cstddef>
#include <cstdint>

#include "image/loaded.hpp"

// Variables of a process rank are moved into shared memory where they are: their pages become
// pages of that memory, at the addresses that they have. So nothing has to be bound again, and
// programs that are not position-independent will do. Virtual ranks, which are several in a
// process, have copies instead (copies.hpp).

namespace armature::image {

/// The static and global variables of a program's own file: those pages of its image that it may
/// write to.
struct Variables {
  std::byte* begin = nullptr;
  std::size_t bytes = 0;
  std::uint64_t program = 0;  // tells programs apart that lay their variables out differently
};

/// Throws Error(start) with a sentence where they cannot be moved.
Variables variables_of(const Loaded& program);

/// Whether Armature is a part of that program, and not a library beside it.
bool holds_library(const Loaded& program);

/// Makes the variables lie in the shared memory at `place`, which holds zeros and begins at a page,
/// as well as where they are. A process that is forked has them for itself, as they are then. No
/// other thread writes to them meanwhile. Once per process. Throws Error(start) where the kernel
/// cannot; then they are as they were.
void move_variables(const Variables& variables, std::byte* place);

}  // namespace armature::image

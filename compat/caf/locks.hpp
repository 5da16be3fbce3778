#pragma once

#include <cstdint>

#include <armature/global_ptr.hpp>

#include "image.hpp"

namespace caf {

/// A lock is a word, which is 0 while nobody has it.
using Lock = armature::global_ptr<std::uint64_t>;

/// Returns whether the lock is this image's now, and waits for its turn if it may. Throws Refusal
/// with stat::locked where the image would wait for itself.
bool enter(Image& me, Lock lock, bool may_wait);
/// Throws Refusal with stat::unlocked or stat::locked_other_image where the lock is not this
/// image's.
void leave(Image& me, Lock lock);

}  // namespace caf

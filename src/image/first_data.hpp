#pragma once

#include <cstddef>
#include <vector>

#include "image/loaded.hpp"

namespace armature::image {

/// Returns a writable part of a library as the loader had bound it, before the library's
/// constructors ran. They may have run by now, in an order that is the loader's. So the bytes are
/// the file's, with what relocations write. A word that the loader alone writes is taken from
/// memory: it has looked the symbol up. Throws Error(start) where the file cannot be read.
std::vector<std::byte> first_data(const Loaded& library, const ElfW(Phdr) & part);

}  // namespace armature::image

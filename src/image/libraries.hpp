#pragma once

#include <vector>

#include "base/file_descriptor.hpp"
#include "bootstrap/private_globals.hpp"
#include "image/loaded.hpp"

namespace armature::image {

/// The program and the libraries that are to be copied with it: those that are named, and the one
/// in which gfortran keeps units. Throws Error(start) where one that is named is not there, or is
/// one that ranks have to share.
std::vector<Loaded> copied_images(const bootstrap::PrivateGlobals& wanted);

/// Whether it is one of the libraries of which a process has one, whatever its ranks are: the C and
/// C++ libraries, the compiler's, and Armature's own.
bool is_shared(const Loaded& library);

/// Whether it keeps what gfortran's programs do with files: such a library is copied unasked.
bool keeps_units(const Loaded& library);

/// Opens the file of each image. Throws Error(start) where it cannot be read, or is not what has
/// been loaded.
std::vector<base::FileDescriptor> files_of(const std::vector<Loaded>& images);

}  // namespace armature::image

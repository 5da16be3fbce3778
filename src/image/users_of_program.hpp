#pragma once

#include <optional>
#include <string>

#include "image/copies.hpp"

namespace armature::image {

/// The first name of a library that the loader has bound to the original of what is copied;
/// nothing: it names none of it, or only what is the same in every copy.
std::optional<std::string> name_of_program(const Copies& copies, const Loaded& library);

/// Throws Error(start) where a library that the program is linked with, and that is not copied,
/// uses a variable or function that the program or a named library defines: it would find the
/// original's, which no rank has. And where a copied library would use the variable of one that is
/// not, as both define it.
void refuse_users_of_program(const Copies& copies);

}  // namespace armature::image

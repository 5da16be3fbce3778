#pragma once

#include <string_view>

#include "armature/named_call.hpp"

namespace armature::team {

using detail::UserCall;

/// "sort", as the program has written it. Of any number, as others may send it.
[[nodiscard]] const char* name_of(UserCall call);
/// The call with that name, or none.
[[nodiscard]] UserCall call_named(std::string_view name);

}  // namespace armature::team

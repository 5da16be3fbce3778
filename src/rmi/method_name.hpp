#pragma once

#include <string>

#include "armature/detail/method.hpp"

namespace armature::rmi {

/// How to name what a request calls, for messages: "Account::add(int)" where the loader knows its
/// symbol, else by its type, "void (Account::*)(int)". Empty where the library itself called.
[[nodiscard]] std::string name_of(const detail::Method& method, std::uintptr_t code);

}  // namespace armature::rmi

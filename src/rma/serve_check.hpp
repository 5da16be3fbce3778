#pragma once

#include "transport/service.hpp"

namespace armature::rma {

/// The handler of Kind::check: a rank of another node asks whether it may reach memory of a rank
/// of this process.
void on_check(const transport::Arrived& arrived);

}  // namespace armature::rma

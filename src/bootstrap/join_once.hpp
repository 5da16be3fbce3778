#pragma once

#include <string_view>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::bootstrap {

/// `what` is "rank" or "process". Throws Error(start).
[[noreturn]] inline void refuse_to_join_twice(std::string_view what, int number) {
  base::fail(Errc::start,
             fmt::format("{} {} has joined the job already: where a script stands in its place, it "
                         "may start one program of the job, once",
                         what, number));
}

}  // namespace armature::bootstrap

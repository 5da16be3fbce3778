#pragma once

#include <string>

#include "armature/error.hpp"
#include "armature/rmi_settings.hpp"

namespace armature::detail {

/// Containers, and object arrays, rely on a rank executing calls of others only where it
/// communicates itself. Throws Error(misuse) when a service thread executes them beside it.
inline void require_one_at_a_time(const char* what = "this container") {
  if (rmi_settings().service_thread)
    throw Error(Errc::misuse,
                std::string(what) +
                    " cannot be used with service threads, which would change it while the rank "
                    "itself looks at it: run the job without --service-threads");
}

}  // namespace armature::detail

#include "base/start_thread.hpp"

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::base {

void fail_without_thread(const std::string& what_for, int error) {
  fail(Errc::start, fmt::format("no thread {}: {}. A limit may be reached (ulimit -u for processes "
                                "and threads, -s for the stack of each, -v, or pids.max of the "
                                "control group)",
                                what_for, system_text(error)));
}

}  // namespace armature::base

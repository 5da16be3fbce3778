#include "world/valgrind.hpp"

#include <cstdint>
#include <cstdio>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/valgrind.hpp"
#include "space/layout.hpp"

namespace armature {

void warn_of_segments_on_valgrind(const space::ControlHeader& job) {
  constexpr std::uint64_t takes_long_from = std::uint64_t{1} << 30;
  if (!base::on_valgrind || job.layout.segment_bytes < takes_long_from) return;
  std::fputs(fmt::format("armature: {} segments of {} are long work for valgrind, which looks for "
                         "leaks in all of them at the end: armature run --segment-size {}M\n",
                         job.ranks, base::readable_bytes(job.layout.segment_bytes),
                         space::segment_bytes_on_valgrind >> 20)
                 .c_str(),
             stderr);
}

}  // namespace armature

#include "copies/way.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/fail.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace armature::copies {

namespace {

bool is_always_there() { return true; }

#if defined(__x86_64__)
// The operating system must keep the registers, which the compiler's built-in asks too.
bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }
bool has_avx512() { return __builtin_cpu_supports("avx512f") != 0; }
/// Every processor has the instruction; those that say so (ERMS) are good at it. Sanitizers do not
/// see what it reads and writes.
bool has_rep_movsb() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return false;
#else
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned features_leaf = 7, erms_bit = 1U << 9;
  return __get_cpuid_count(features_leaf, 0, &a, &b, &c, &d) != 0 && (b & erms_bit) != 0;
#endif
}
#endif

}  // namespace

#if defined(__x86_64__)
constinit const std::array<Candidate, ways> candidates = {{
    {"memcpy", false, is_always_there, copy_by_libc},
    {"rep_movsb", false, has_rep_movsb, copy_by_rep_movsb},
    {"avx2", false, has_avx2, copy_by_avx2<false>},
    {"avx2_past_cache", true, has_avx2, copy_by_avx2<true>},
    {"avx512", false, has_avx512, copy_by_avx512<false>},
    {"avx512_past_cache", true, has_avx512, copy_by_avx512<true>},
}};
#else
namespace {
bool is_never_there() { return false; }
}  // namespace
constinit const std::array<Candidate, ways> candidates = {{
    {"memcpy", false, is_always_there, copy_by_libc},
    {"rep_movsb", false, is_never_there, copy_by_libc},
    {"avx2", false, is_never_there, copy_by_libc},
    {"avx2_past_cache", true, is_never_there, copy_by_libc},
    {"avx512", false, is_never_there, copy_by_libc},
    {"avx512_past_cache", true, is_never_there, copy_by_libc},
}};
#endif

Way way_of(std::string_view name) {
  const auto found = std::ranges::find(candidates, name, &Candidate::name);
  if (found != candidates.end() && found->is_there())
    return static_cast<Way>(found - candidates.begin());
  std::string names;
  for (const Candidate& each : candidates)
    if (each.is_there()) names += std::string(names.empty() ? "" : ", ") + each.name;
  base::fail(Errc::start,
             fmt::format("ARMATURE_COPY='{}' is {}: this processor has {}; or trial", name,
                         found == candidates.end() ? "no way to copy"
                                                   : "a way to copy that this processor has not",
                         names));
}

Way usual_way(bool past_cache) {
  if (!candidate(Way::avx2).is_there()) return Way::libc;
  return past_cache ? Way::avx2_past_cache : Way::avx2;
}

}  // namespace armature::copies

#include "bench/limits.hpp"

// The library picks its loops by what the processor can do, so a limit compiled for the oldest
// processor would flatter it. The bodies below are therefore compiled for each instruction set and
// picked once. target_clones would do the same, but its resolvers run before a sanitizer is ready
// for them.

namespace armature::bench::limits {

namespace {

[[gnu::always_inline]] inline void gather_body(double* to, const double* from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i * gather_step];
}

[[gnu::always_inline]] inline void axpy_body(double* x, const double* y, double a,
                                             std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) x[i] += a * y[i];
}

void gather_baseline(double* to, const double* from, std::size_t count) {
  gather_body(to, from, count);
}
void axpy_baseline(double* x, const double* y, double a, std::size_t count) {
  axpy_body(x, y, a, count);
}

#if defined(__x86_64__)
[[gnu::target("arch=x86-64-v3")]] void gather_v3(double* to, const double* from,
                                                 std::size_t count) {
  gather_body(to, from, count);
}
[[gnu::target("arch=x86-64-v3")]] void axpy_v3(double* x, const double* y, double a,
                                               std::size_t count) {
  axpy_body(x, y, a, count);
}
[[gnu::target("arch=x86-64-v4")]] void axpy_v4(double* x, const double* y, double a,
                                               std::size_t count) {
  axpy_body(x, y, a, count);
}

bool has_v3() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
bool has_v4() {
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
}
#endif

using Gather = void (*)(double*, const double*, std::size_t);
using Axpy = void (*)(double*, const double*, double, std::size_t);

Gather best_gather() {
#if defined(__x86_64__)
  if (has_v3()) return gather_v3;
#endif
  return gather_baseline;
}

Axpy best_axpy() {
#if defined(__x86_64__)
  if (has_v4()) return axpy_v4;
  if (has_v3()) return axpy_v3;
#endif
  return axpy_baseline;
}

}  // namespace

const Gather gather = best_gather();
const Axpy axpy = best_axpy();

}  // namespace armature::bench::limits

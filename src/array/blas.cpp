#include "array/blas.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include "armature/error.hpp"
#include "armature/layer/rank_state.hpp"

// The BLAS of the machine, loaded when the first large product is computed. Only libraries that are
// known to be fast are looked for: the reference implementation is slower than our own loops. Why
// it is loaded and not linked: docs/decisions/matrix-products.md.

namespace armature::detail {
namespace {

/// The functions that this needs, by Fortran's interface. Numbers are of 8 bytes, of which a
/// library with numbers of 4 bytes reads the lower half.
template <class T>
using Gemm = void (*)(const char*, const char*, const std::int64_t*, const std::int64_t*,
                      const std::int64_t*, const T*, const T*, const std::int64_t*, const T*,
                      const std::int64_t*, const T*, T*, const std::int64_t*);

struct Blas {
  Gemm<double> dgemm = nullptr;
  Gemm<float> sgemm = nullptr;
};

constexpr const char* fast_libraries[] = {"libopenblas.so.0", "libblis.so.4", "libmkl_rt.so.2",
                                          "libmkl_rt.so"};

/// Ranks are as many as the program wants. A library that only we have loaded computes in the
/// thread that calls; one of the program's own goes on as the program has said.
void* load(const char* name) {
  if (void* const loaded = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return loaded;
  void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  for (const char* const call : {"openblas_set_num_threads", "MKL_Set_Num_Threads"})
    if (auto* const set = reinterpret_cast<void (*)(int)>(dlsym(library, call))) set(1);
  return library;
}

Blas found_in(void* library) {
  return {reinterpret_cast<Gemm<double>>(dlsym(library, "dgemm_")),
          reinterpret_cast<Gemm<float>>(dlsym(library, "sgemm_"))};
}

Blas found() {
  const layer::ProcessMemory memory;
  const char* const wish = std::getenv("ARMATURE_BLAS");
  if (wish != nullptr && *wish != '\0') {
    if (std::string(wish) == "off") return {};
    void* const library = load(wish);
    const char* const why = library == nullptr ? dlerror() : nullptr;
    const Blas blas = library == nullptr ? Blas{} : found_in(library);
    if (blas.dgemm == nullptr || blas.sgemm == nullptr)
      throw Error(Errc::bad_argument, std::string("ARMATURE_BLAS=") + wish + ": " +
                                          (why == nullptr ? "it has no dgemm_ and sgemm_" : why));
    return blas;
  }
  for (const char* const name : fast_libraries)
    if (void* const library = load(name)) {
      const Blas blas = found_in(library);
      if (blas.dgemm != nullptr && blas.sgemm != nullptr) return blas;
    }
  return {};
}

const Blas& blas() {
  static const Blas one = found();
  return one;
}

template <class T>
bool multiply_by(Gemm<T> Blas::*gemm, T* sums, const T* a, const T* b, const DenseShape& shape,
                 T factor) {
  constexpr std::ptrdiff_t products_min = 32 * 32 * 32;
  constexpr std::ptrdiff_t extent_max = std::numeric_limits<std::int32_t>::max();
  const auto [m, n, k, stride, a_stride, b_stride] = shape;
  if (m * n < products_min / std::max<std::ptrdiff_t>(k, 1) ||
      std::max({m, n, k, stride, a_stride, b_stride}) > extent_max)
    return false;
  const Gemm<T> call = blas().*gemm;
  if (call == nullptr) return false;
  // Our rows are the columns of Fortran, so the factors change places.
  const std::int64_t rows = n, columns = m, depth = k, step = stride, a_step = a_stride,
                     b_step = b_stride;
  const T one = 1;
  const layer::ProcessMemory memory;  // the library keeps what it allocates
  call("N", "N", &rows, &columns, &depth, &factor, b, &b_step, a, &a_step, &one, sums, &step);
  return true;
}

}  // namespace

bool multiply_by_blas(double* sums, const double* a, const double* b, const DenseShape& shape,
                      double factor) {
  return multiply_by(&Blas::dgemm, sums, a, b, shape, factor);
}
bool multiply_by_blas(float* sums, const float* a, const float* b, const DenseShape& shape,
                      float factor) {
  return multiply_by(&Blas::sgemm, sums, a, b, shape, factor);
}

}  // namespace armature::detail

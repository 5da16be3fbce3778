#include "calls.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <armature/collectives.hpp>
#include <armature/layer/program.hpp>
#include <armature/run.hpp>

#include "array.hpp"

namespace {

using compat_arrays::perform;
using compat_arrays::refuse;

armature_array& checked(armature_array* array) {
  if (array == nullptr) refuse("the array has not been created, or was destroyed");
  return *array;
}
/// Throws unless the array has elements of that kind.
armature_array& checked(armature_array* array, std::int32_t element) {
  armature_array& one = checked(array);
  if (one.element() != element)
    refuse("distributed_array '" + one.name() + "': values of another type than its elements");
  return one;
}

std::unique_ptr<armature_array> made(const armature_arrays_request& request) {
  switch (request.element) {
    case ARMATURE_ARRAYS_INT32:
      return compat_arrays::make_array<std::int32_t>(request);
    case ARMATURE_ARRAYS_INT64:
      return compat_arrays::make_array<std::int64_t>(request);
    case ARMATURE_ARRAYS_REAL32:
      return compat_arrays::make_array<float>(request);
    case ARMATURE_ARRAYS_REAL64:
      return compat_arrays::make_array<double>(request);
    case ARMATURE_ARRAYS_COMPLEX32:
      return compat_arrays::make_array<std::complex<float>>(request);
    case ARMATURE_ARRAYS_COMPLEX64:
      return compat_arrays::make_array<std::complex<double>>(request);
    default:
      refuse(std::string("distributed_array '") + request.name + "': elements of kind " +
             std::to_string(request.element));
  }
}

/// The command line of this process, which Fortran does not hand over.
class Arguments {
 public:
  Arguments() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    for (std::string word; std::getline(file, word, '\0');) words_.push_back(word);
    for (std::string& word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  ~Arguments() = default;

  [[nodiscard]] int count() const { return static_cast<int>(words_.size()); }
  [[nodiscard]] char** get() const { return pointers_.data(); }

 private:
  std::vector<std::string> words_;
  mutable std::vector<char*> pointers_;
};

/// The library of gfortran knows the arguments from main. The rank's copy of it, where it has one,
/// has not heard them.
void tell_arguments(const Arguments& arguments) {
  auto* const of_process =
      reinterpret_cast<void (*)(int, char**)>(dlsym(RTLD_DEFAULT, "_gfortran_set_args"));
  if (of_process == nullptr) return;
  auto* const own = armature::layer::own(of_process);
  if (own != of_process) own(arguments.count(), arguments.get());
}

}  // namespace

void compat_arrays::report(const char* call, armature_arrays_status* status, const char* why) {
  if (status == nullptr) armature::abort(1, std::string(call) + ": " + why);
  status->code = 1;
  std::strncpy(status->message, why, sizeof status->message - 1);
}

extern "C" {

int armature_arrays_run(void (*body)(void)) {
  const Arguments arguments;
  return armature::run(arguments.count(), arguments.get(), [body](armature::World&) {
    const Arguments own;  // the rank's, which it takes along
    tell_arguments(own);
    // Each rank calls its own: it may have a copy of the program, with variables of modules.
    armature::layer::own(body)();
  });
}
int32_t armature_arrays_rank(void) {
  int32_t rank = 0;
  perform("this_rank", nullptr, [&] { rank = armature::world().rank(); });
  return rank;
}
int32_t armature_arrays_ranks(void) {
  int32_t ranks = 0;
  perform("rank_count", nullptr, [&] { ranks = armature::world().size(); });
  return ranks;
}
void armature_arrays_barrier(void) {
  perform("barrier", nullptr, [] { armature::world().barrier(); });
}
void armature_arrays_fail(const char* message) { armature::abort(1, message); }

armature_array* armature_arrays_create(const armature_arrays_request* request,
                                       armature_arrays_status* status) {
  std::unique_ptr<armature_array> array;
  perform("create", status, [&] { array = made(*request); });
  return array.release();
}
void armature_arrays_destroy(armature_array* array, armature_arrays_status* status) {
  perform("destroy", status, [&] { delete &checked(array); });
}
int32_t armature_arrays_shape(const armature_array* array, int64_t* shape,
                              armature_arrays_status* status) {
  int32_t dimensions = 0;
  perform("shape", status, [&] {
    if (array == nullptr) refuse("the array has not been created, or was destroyed");
    dimensions = array->dimensions();
    array->shape(shape);
  });
  return dimensions;
}
void armature_arrays_transfer(armature_array* array, int32_t verb,
                              const armature_arrays_section* section, int32_t element, void* data,
                              int64_t count, const void* scale, armature_arrays_status* status) {
  perform("transfer", status,
          [&] { checked(array, element).transfer(verb, section, data, count, scale); });
}
void armature_arrays_copy(armature_array* to, const armature_arrays_section* to_section,
                          armature_array* from, const armature_arrays_section* from_section,
                          const int32_t* order, armature_arrays_status* status) {
  perform("copy", status, [&] {
    armature_array& source = checked(from);
    checked(to, source.element()).copy(to_section, source, from_section, order);
  });
}
void armature_arrays_exchange_ghosts(armature_array* array, const int32_t* periodic, int32_t parts,
                                     armature_arrays_status* status) {
  perform("exchange_ghosts", status, [&] { checked(array).exchange_ghosts(periodic, parts); });
}
void armature_arrays_local(armature_array* array, int32_t element, int32_t dimensions, void** data,
                           int64_t* lower, int64_t* upper, armature_arrays_status* status) {
  perform("local", status, [&] {
    armature_array& one = checked(array, element);
    if (one.dimensions() != dimensions)
      refuse("distributed_array '" + one.name() + "' of " + std::to_string(one.dimensions()) +
             " dimensions: a pointer of " + std::to_string(dimensions));
    one.local(data, lower, upper);
  });
}
void armature_arrays_region(armature_array* array, int32_t rank, int64_t* lower, int64_t* upper,
                            armature_arrays_status* status) {
  perform("region", status, [&] { checked(array).region(rank, lower, upper); });
}
void armature_arrays_fence(armature_array* array, armature_arrays_status* status) {
  perform("fence", status, [&] { checked(array).fence(); });
}
void armature_arrays_fill(armature_array* array, int32_t element, const void* value,
                          armature_arrays_status* status) {
  perform("fill", status, [&] { checked(array, element).fill(value); });
}
void armature_arrays_scale(armature_array* array, int32_t element, const void* by,
                           armature_arrays_status* status) {
  perform("scale", status, [&] { checked(array, element).scale(by); });
}
void armature_arrays_add(armature_array* out, int32_t element, const void* alpha, armature_array* a,
                         const void* beta, armature_array* b, armature_arrays_status* status) {
  perform("add", status, [&] { checked(out, element).add(alpha, checked(a), beta, checked(b)); });
}
void armature_arrays_sum(armature_array* array, int32_t element, void* sum,
                         armature_arrays_status* status) {
  perform("sum", status, [&] { checked(array, element).sum(sum); });
}
void armature_arrays_dot(armature_array* a, armature_array* b, int32_t element, void* product,
                         armature_arrays_status* status) {
  perform("dot", status, [&] { checked(a, element).dot(checked(b, element), product); });
}
void armature_arrays_extreme(armature_array* array, int32_t is_largest, int32_t element,
                             void* value, int64_t* place, armature_arrays_status* status) {
  perform("extreme", status,
          [&] { checked(array, element).extreme(is_largest != 0, value, place); });
}
double armature_arrays_norm(armature_array* array, armature_arrays_status* status) {
  double norm = 0;
  perform("norm", status, [&] { norm = checked(array).norm(); });
  return norm;
}
void armature_arrays_multiply(armature_array* c, armature_array* a, armature_array* b, double alpha,
                              double beta, int32_t transposes_a, int32_t transposes_b,
                              armature_arrays_status* status) {
  perform("multiply", status, [&] {
    checked(c).multiply(checked(a), checked(b),
                        {alpha, beta, transposes_a != 0, transposes_b != 0});
  });
}

}  // extern "C"

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <armature/error.hpp>

#include "armature_arrays.h"

namespace compat_arrays {

using Section = armature_arrays_section;

[[noreturn]] inline void refuse(const std::string& why) {
  throw armature::Error(armature::Errc::bad_argument, why);
}

struct Product {
  double alpha = 1;
  double beta = 0;
  bool transposes_a = false;
  bool transposes_b = false;
};

}  // namespace compat_arrays

/// An array of any type of elements and number of dimensions. Sections may be null: all. What
/// another array or an element is given for has been found to be of the same type.
struct armature_array {
 public:
  armature_array() = default;
  armature_array(const armature_array&) = delete;
  armature_array& operator=(const armature_array&) = delete;
  virtual ~armature_array() = default;

  [[nodiscard]] virtual std::int32_t element() const = 0;
  [[nodiscard]] virtual std::int32_t dimensions() const = 0;
  [[nodiscard]] virtual const std::string& name() const = 0;
  virtual void shape(std::int64_t* shape) const = 0;
  virtual void transfer(std::int32_t verb, const compat_arrays::Section* section, void* data,
                        std::int64_t count, const void* scale) = 0;
  virtual void copy(const compat_arrays::Section* section, armature_array& from,
                    const compat_arrays::Section* from_section, const std::int32_t* order) = 0;
  virtual void exchange_ghosts(const std::int32_t* periodic, std::int32_t parts) = 0;
  virtual void local(void** data, std::int64_t* lower, std::int64_t* upper) = 0;
  virtual void region(std::int32_t rank, std::int64_t* lower, std::int64_t* upper) const = 0;
  virtual void fence() const = 0;
  virtual void fill(const void* value) = 0;
  virtual void scale(const void* by) = 0;
  virtual void add(const void* alpha, armature_array& a, const void* beta, armature_array& b) = 0;
  virtual void sum(void* result) const = 0;
  virtual void dot(armature_array& other, void* result) const = 0;
  virtual void extreme(bool is_largest, void* value, std::int64_t* place) const = 0;
  [[nodiscard]] virtual double norm() const = 0;
  virtual void multiply(armature_array& a, armature_array& b,
                        const compat_arrays::Product& how) = 0;
};

namespace compat_arrays {

/// Makes an array of elements T. Collective.
template <class T>
std::unique_ptr<armature_array> make_array(const armature_arrays_request& request);

}  // namespace compat_arrays

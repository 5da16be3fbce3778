#include <cstdint>
#include <cstring>
#include <string>

#include <armature/atomic.hpp>
#include <armature/get.hpp>
#include <armature/layer/wait.hpp>
#include <armature/put.hpp>

#include "calls.hpp"
#include "coarray.hpp"
#include "libcaf.hpp"

// atomic_define, atomic_ref, atomic_cas and the operations. gfortran's atomic kinds have 4 bytes; 8
// are here too.

namespace caf {
namespace {

enum Operation { add = 1, bit_and = 2, bit_or = 3, bit_xor = 4 };

/// Calls action(the word), which is an integer of so many bytes.
template <class Action>
void with_word(const Coarray* coarray, std::size_t offset, int image_number, int kind,
               Action action) {
  if (kind == 4)
    return action(place_of_variable(coarray, offset, 4, image_number).as<std::int32_t>());
  if (kind == 8)
    return action(place_of_variable(coarray, offset, 8, image_number).as<std::int64_t>());
  refuse("an atomic variable of kind " + std::to_string(kind) + ", which is none of 4 and 8");
}

template <class T>
T value_at(const void* address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

template <class T>
T combined(int operation, armature::global_ptr<T> word, T value) {
  switch (operation) {
    case add:
      return armature::fetch_add(word, value);
    case bit_and:
      return armature::fetch_and(word, value);
    case bit_or:
      return armature::fetch_or(word, value);
    case bit_xor:
      return armature::fetch_xor(word, value);
    default:
      refuse("operation " + std::to_string(operation) + " is none");
  }
}

}  // namespace
}  // namespace caf

extern "C" {

void _gfortran_caf_atomic_define(caf::Coarray* token, std::size_t offset, int image,
                                 const void* value, int* stat, int /*type*/, int kind) {
  caf::perform("atomic_define", {stat}, [=] {
    caf::with_word(token, offset, image, kind, [=]<class T>(armature::global_ptr<T> word) {
      armature::put(word, caf::value_at<T>(value));
      armature::layer::wake(word.rank());
    });
  });
}

void _gfortran_caf_atomic_ref(caf::Coarray* token, std::size_t offset, int image, void* value,
                              int* stat, int /*type*/, int kind) {
  caf::perform("atomic_ref", {stat}, [=] {
    caf::with_word(token, offset, image, kind, [=]<class T>(armature::global_ptr<T> word) {
      const T found = armature::get(word);
      std::memcpy(value, &found, sizeof found);
    });
    // A loop that looks until another image has written lets that one run.
    armature::layer::progress();
  });
}

void _gfortran_caf_atomic_cas(caf::Coarray* token, std::size_t offset, int image, void* old,
                              const void* compare, const void* desired, int* stat, int /*type*/,
                              int kind) {
  caf::perform("atomic_cas", {stat}, [=] {
    caf::with_word(token, offset, image, kind, [=]<class T>(armature::global_ptr<T> word) {
      const T found =
          armature::compare_swap(word, caf::value_at<T>(compare), caf::value_at<T>(desired));
      std::memcpy(old, &found, sizeof found);
      if (found != caf::value_at<T>(compare)) armature::layer::progress();
    });
  });
}

void _gfortran_caf_atomic_op(int operation, caf::Coarray* token, std::size_t offset, int image,
                             const void* value, void* old, int* stat, int /*type*/, int kind) {
  caf::perform("atomic operation", {stat}, [=] {
    caf::with_word(token, offset, image, kind, [=]<class T>(armature::global_ptr<T> word) {
      const T found = caf::combined(operation, word, caf::value_at<T>(value));
      if (old != nullptr) std::memcpy(old, &found, sizeof found);
    });
  });
}

}  // extern "C"

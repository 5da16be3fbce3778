// Variables that a program and its libraries have in common, since each of them defines them: the
// loader binds all to one of these.
#pragma once

#include <string>
#include <vector>

namespace inlined {

inline int between = 17;  // of libraries alone

#ifndef INLINED_BETWEEN_ALONE
inline int begun() { return 5; }
inline int number = 3;
inline std::vector<std::string> made{"a text that is too long for its object", "b"};
inline thread_local int of_thread = 7;
inline constexpr int constant = 11;

template <class T>
struct Of {
  static int number;
};
template <class T>
int Of<T>::number = begun();

/// One more than before; 6 at first.
inline int& in_function() {
  static int value = begun();
  return ++value;
}

struct Base {
  Base() = default;
  Base(const Base&) = delete;
  Base& operator=(const Base&) = delete;
  virtual ~Base() = default;
  virtual int get() { return number; }
};

#endif

// As libinlined.so has them.
int number_there();  // 4 at first: a constructor adds to it
int& between_there();
int of_thread_there();
int of_type_there();
int in_function_there();
int weak_there();
const int* constant_there();
struct Base* base_there();
void make_there();
int& between_of_other();
int number_of_caller();

}  // namespace inlined

extern "C" [[gnu::weak]] int inlined_weak;

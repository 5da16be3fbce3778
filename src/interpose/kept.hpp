#pragma once

#include <cstdio>

#include "interpose/current.hpp"
#include "interpose/original.hpp"

// Calls of the C library that allocate what it keeps for the process.

/// Takes the C library's place, with the process's memory.
#define ARMATURE_KEPT_AS(Result, name, parameters, exceptions, arguments) \
  ARMATURE_ORIGINAL(Result, name, parameters);                            \
  ARMATURE_EXPORT Result name parameters exceptions {                     \
    const armature::interpose::ProcessHeap kept;                          \
    return original_##name arguments;                                     \
  }                                                                       \
  static_assert(true)
#define ARMATURE_KEPT(Result, name, parameters, arguments) \
  ARMATURE_KEPT_AS(Result, name, parameters, noexcept, arguments)

namespace armature::interpose {

/// A stream allocates what it reads into when it is first read: that is its owner's.
inline void begin_to_read(std::FILE* stream) {
  if (const int letter = std::getc(stream); letter != EOF) (void)std::ungetc(letter, stream);
}

}  // namespace armature::interpose

/// For functions that read a stream of the caller's.
#define ARMATURE_KEPT_FROM_STREAM(Result, name)         \
  ARMATURE_ORIGINAL(Result*, name, (std::FILE * from)); \
  ARMATURE_EXPORT Result* name(std::FILE* from) {       \
    armature::interpose::begin_to_read(from);           \
    const armature::interpose::ProcessHeap kept;        \
    return original_##name(from);                       \
  }                                                     \
  static_assert(true)

// ARMATURE_KEPT_1 and the others are for functions of so many parameters, whose types are told.
#define ARMATURE_KEPT_0(Result, name) ARMATURE_KEPT_AS(Result, name, (), , ())
#define ARMATURE_KEPT_1(Result, name, A) ARMATURE_KEPT_AS(Result, name, (A a), , (a))
#define ARMATURE_KEPT_2(Result, name, A, B) ARMATURE_KEPT_AS(Result, name, (A a, B b), , (a, b))
#define ARMATURE_KEPT_3(Result, name, A, B, C) \
  ARMATURE_KEPT_AS(Result, name, (A a, B b, C c), , (a, b, c))
#define ARMATURE_KEPT_4(Result, name, A, B, C, D) \
  ARMATURE_KEPT_AS(Result, name, (A a, B b, C c, D d), , (a, b, c, d))
#define ARMATURE_KEPT_5(Result, name, A, B, C, D, E) \
  ARMATURE_KEPT_AS(Result, name, (A a, B b, C c, D d, E e), , (a, b, c, d, e))
#define ARMATURE_KEPT_6(Result, name, A, B, C, D, E, F) \
  ARMATURE_KEPT_AS(Result, name, (A a, B b, C c, D d, E e, F f), , (a, b, c, d, e, f))
#define ARMATURE_KEPT_7(Result, name, A, B, C, D, E, F, G) \
  ARMATURE_KEPT_AS(Result, name, (A a, B b, C c, D d, E e, F f, G g), , (a, b, c, d, e, f, g))
#define ARMATURE_KEPT_8(Result, name, A, B, C, D, E, F, G, H)                \
  ARMATURE_KEPT_AS(Result, name, (A a, B b, C c, D d, E e, F f, G g, H h), , \
                   (a, b, c, d, e, f, g, h))

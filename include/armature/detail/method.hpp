#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "armature/detail/export.hpp"
#include "armature/detail/request.hpp"
#include "armature/rank.hpp"

// How code is named in a message. Processes load the same program at different addresses, so a
// method travels as (module, offset in the module): of a descriptor, which the receiver can check
// before it trusts it, and for pointers of the user (member functions, functions) of the code.

namespace armature::detail {

/// A request as the one who executes it sees it.
struct Call {
  void* object = nullptr;            // the receiver's representative; nullptr for functions
  const std::byte* start = nullptr;  // of the request; views are aligned from here
  const std::byte* arguments = nullptr;
  const std::byte* end = nullptr;
  struct Reply* reply = nullptr;  // where the asker waits; nullptr for a statement
  Rank from;
};

/// Lies in the program's constant data, one per kind of call.
struct Method {
  static constexpr std::uint64_t expected_magic = 0x4d45'5448'4f44'3031;

  std::uint64_t magic = expected_magic;
  void (*run)(Call& call) = nullptr;
  const char* name = nullptr;       // the compiler's spelling, for inspect and for errors
  bool looks_into_message = false;  // while it runs: it has parameters that are views
};

/// Throws Error(bad_argument) when the descriptor lies in no module that others can have.
ARMATURE_API std::uint64_t make_token(const void* address);
/// The address here of what has that token elsewhere; throws Error when there is no such module or
/// the offset lies outside it.
ARMATURE_API void* from_token(std::uint64_t token);

/// A token in one word: the module above, the offset below; never 0.
[[gnu::always_inline]] inline MethodToken split(std::uint64_t token) {
  return {.offset = static_cast<std::uint32_t>(token),
          .module = static_cast<std::uint16_t>(token >> 32)};
}

/// Entry, where the receiver begins: a type with `static void run(Call&)` and `looks_into_message`.
template <class Entry>
struct MethodTokenOf {
  static constexpr const char* spelling() { return __PRETTY_FUNCTION__; }
  static constexpr Method method{Method::expected_magic, &Entry::run, spelling(),
                                 Entry::looks_into_message};
  static inline std::atomic<std::uint64_t> token{0};

  [[gnu::always_inline]] static MethodToken get() {
    // Whoever comes first works it out; all find the same.
    std::uint64_t known = token.load(std::memory_order_relaxed);
    if (known == 0) [[unlikely]] {
      known = make_token(&method);
      token.store(known, std::memory_order_relaxed);
    }
    return split(known);
  }
};

/// A pointer to code of the user, for a message: plain function pointers and, as the Itanium ABI
/// has them, pointers to member functions (an address, or an odd offset into the object's table of
/// virtual functions; and what to add to the object's address).
struct CodePointer {
  std::uint32_t offset = 0;
  std::uint16_t module = 0;  // 0: `offset` is a virtual one
  std::int16_t adjust = 0;
};
static_assert(sizeof(CodePointer) == 8);

/// The main program's code, so that the common case needs no call.
struct MainModule {
  std::uintptr_t begin = 0;
  std::uintptr_t bytes = 0;
  std::uint16_t id = 0;
};
extern ARMATURE_API MainModule main_module;

ARMATURE_API CodePointer encode_elsewhere(std::uintptr_t code, std::ptrdiff_t adjust);
ARMATURE_API std::uintptr_t decode_elsewhere(CodePointer pointer);

[[gnu::always_inline]] inline CodePointer encode(std::uintptr_t code, std::ptrdiff_t adjust) {
  const std::uintptr_t offset = code - main_module.begin;
  if (offset < main_module.bytes && adjust == 0) [[likely]]
    return {static_cast<std::uint32_t>(offset), main_module.id, 0};
  return encode_elsewhere(code, adjust);
}

[[gnu::always_inline]] inline std::uintptr_t decode(CodePointer pointer) {
  if (pointer.module == main_module.id && pointer.offset < main_module.bytes) [[likely]]
    return main_module.begin + pointer.offset;
  return decode_elsewhere(pointer);
}

/// Of a plain function, which is never virtual.
[[gnu::always_inline]] inline std::uintptr_t decode_function(CodePointer pointer) {
  return decode(pointer.module != 0 ? pointer : CodePointer{UINT32_MAX, 0, 0});
}

template <class Member>
requires std::is_member_function_pointer_v<Member>
[[gnu::always_inline]] inline CodePointer encode(Member member) {
  static_assert(sizeof(Member) == 16);
  struct {
    std::uintptr_t code;
    std::ptrdiff_t adjust;
  } parts;
  std::memcpy(&parts, &member, sizeof parts);
  return encode(parts.code, parts.adjust);
}

template <class Member>
requires std::is_member_function_pointer_v<Member>
[[gnu::always_inline]] inline Member decode_member(CodePointer pointer) {
  const struct {
    std::uintptr_t code;
    std::ptrdiff_t adjust;
  } parts{decode(pointer), pointer.adjust};
  Member member;
  std::memcpy(&member, &parts, sizeof member);
  return member;
}

}  // namespace armature::detail

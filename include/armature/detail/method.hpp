#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "armature/detail/export.hpp"
#include "armature/detail/request.hpp"
#include "armature/detail/wire.hpp"
#include "armature/rank.hpp"

// How code is named in a message. Processes load the same program at different addresses, so a
// method travels as (module, offset in the module). The offset is that of a descriptor, which the
// receiver can check before it trusts it. For pointers of the user (member functions, functions) it
// is that of the code.

namespace armature::detail {

/// A request as the one who executes it sees it.
struct Call {
  void* object = nullptr;            // the receiver's representative; nullptr for functions
  const std::byte* start = nullptr;  // of the request; views are aligned from here
  const std::byte* arguments = nullptr;
  const std::byte* end = nullptr;
  struct Reply* reply = nullptr;  // where the asker waits; nullptr for a one-way call
  // The code that a request names: what a pointer of the user says (see CodePointer).
  std::uintptr_t code = 0;
  std::ptrdiff_t adjust = 0;
  Rank from;
};

/// Lies in the program's constant data, one per kind of call.
struct Method {
  static constexpr std::uint64_t expected_magic = 0x4d45'5448'4f44'3031;

  std::uint64_t magic = expected_magic;
  void (*run)(Call& call) = nullptr;
  const char* name = nullptr;       // the compiler's spelling, for inspect and for errors
  bool looks_into_message = false;  // while it runs: it has parameters that are views
  bool takes_code = false;          // its requests name code
};

/// Returns the name of code or constant data that is valid in all processes, in one word: the
/// offset in its module in the low half, the module's number above. It is never 0. Throws
/// Error(bad_argument) when the address lies in no module that others can have.
ARMATURE_API std::uint64_t make_token(const void* address);
/// The address here of what has that token elsewhere; throws Error when there is no such module or
/// the offset lies outside it.
ARMATURE_API void* from_token(std::uint64_t token);

/// Entry, where the receiver begins: a type with `static void run(Call&)`, `looks_into_message` and
/// `takes_code`.
template <class Entry>
struct MethodTokenOf {
  static constexpr const char* spelling() { return __PRETTY_FUNCTION__; }
  static constexpr Method method{Method::expected_magic, &Entry::run, spelling(),
                                 Entry::looks_into_message, Entry::takes_code};
  static inline std::atomic<std::uint64_t> token{0};

  [[gnu::always_inline]] static std::uint64_t get() {
    // The first caller computes it; all callers would find the same.
    std::uint64_t known = token.load(std::memory_order_relaxed);
    if (known == 0) [[unlikely]] {
      known = make_token(&method);
      token.store(known, std::memory_order_relaxed);
    }
    return known;
  }
};

/// A pointer to code of the user, for a message. It is a plain function pointer or, as the Itanium
/// ABI has it, a pointer to a member function. That is an address, or an odd offset into the
/// object's table of virtual functions; and what to add to the object's address. A token, whose
/// topmost 16 bits are free, with that to add in them; or, below `virtual_max`, such an offset.
struct CodePointer {
  static constexpr std::uint64_t virtual_max = 64 * 1024;
  std::uint64_t bits = 0;

  [[nodiscard]] std::uint64_t token() const { return bits & 0xffff'ffff'ffff; }
  [[nodiscard]] std::ptrdiff_t adjust() const { return static_cast<std::int64_t>(bits) >> 48; }
};

/// The main program's code, so that the common case needs no call.
struct MainModule {
  std::uintptr_t begin = 0;
  std::uintptr_t bytes = 0;
  std::uint64_t token = 0;  // of `begin`
};
extern ARMATURE_API MainModule main_module;

ARMATURE_API CodePointer encode_elsewhere(std::uintptr_t code, std::ptrdiff_t adjust);
/// The code's address, or that offset. Throws Error(corrupt) where there is no such module.
ARMATURE_API std::uintptr_t decode(CodePointer pointer);

[[gnu::always_inline]] inline CodePointer encode(std::uintptr_t code, std::ptrdiff_t adjust) {
  const std::uintptr_t offset = code - main_module.begin;
  if (offset < main_module.bytes && adjust == 0) [[likely]]
    return {offset | main_module.token};
  return encode_elsewhere(code, adjust);
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
[[gnu::always_inline]] inline Member to_member(std::uintptr_t code, std::ptrdiff_t adjust) {
  const struct {
    std::uintptr_t code;
    std::ptrdiff_t adjust;
  } parts{code, adjust};
  Member member;
  std::memcpy(&member, &parts, sizeof member);
  return member;
}

}  // namespace armature::detail

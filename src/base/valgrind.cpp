#include "base/valgrind.hpp"

#include <cstdint>

namespace armature::base {
namespace {

enum Request : std::uint64_t {
  running_on_valgrind = 0x1001,
  stack_register = 0x1501,
  make_mem_defined = 0x4d43'0002,  // memcheck's, by its letters; other tools ignore it
};

/// 0 without valgrind.
std::uint64_t ask_valgrind(Request request, std::uint64_t first = 0, std::uint64_t second = 0) {
  std::uint64_t answer = 0;
#if defined(__x86_64__)
  const volatile std::uint64_t words[6] = {request, first, second, 0, 0, 0};
  asm volatile(
      "rolq $3, %%rdi\n\t"
      "rolq $13, %%rdi\n\t"
      "rolq $61, %%rdi\n\t"
      "rolq $51, %%rdi\n\t"
      "xchgq %%rbx, %%rbx"
      : "=d"(answer)
      : "a"(&words[0]), "0"(answer)
      : "cc", "memory");
#else
  (void)request, (void)first, (void)second;
#endif
  return answer;
}

std::uint64_t number(const void* address) { return reinterpret_cast<std::uint64_t>(address); }

// Runs before initialisers of the program, which may begin a job.
[[gnu::constructor(101)]] void look() { on_valgrind = ask_valgrind(running_on_valgrind) != 0; }

}  // namespace

bool on_valgrind = false;

void detail::mark_defined(const void* address, std::size_t bytes) {
  ask_valgrind(make_mem_defined, number(address), bytes);
}

void register_stack(const void* lowest, const void* end) {
  ask_valgrind(stack_register, number(lowest), number(end));
}

}  // namespace armature::base

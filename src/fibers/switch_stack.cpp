// A processor guesses where a return leads from the calls before it. Boost's jump takes its return
// address off the stack and jumps there, so the guesses are off by one from then on. Every return,
// up to where the rank's own code goes on, is one that was guessed wrong. Together they take longer
// than all the rest of a switch: 29 ns instead of 16 with three calls in between. This one returns.
// Boost makes the stacks, and other processors use its jump.
#include "fibers/switch_stack.hpp"

#include <cstring>

#if defined(__x86_64__) && defined(__ELF__)

// The registers that a call keeps, and how numbers are rounded.
asm(R"(
  .text
  .p2align 4
  .hidden armature_switch_stack
  .globl armature_switch_stack
  .type armature_switch_stack, @function
armature_switch_stack:
  .cfi_startproc
  leaq -0x38(%rsp), %rsp
  .cfi_adjust_cfa_offset 0x38
  stmxcsr (%rsp)
  fnstcw 0x04(%rsp)
  movq %r12, 0x08(%rsp)
  movq %r13, 0x10(%rsp)
  movq %r14, 0x18(%rsp)
  movq %r15, 0x20(%rsp)
  movq %rbx, 0x28(%rsp)
  movq %rbp, 0x30(%rsp)
  movq %rsp, %rax
  movq %rdi, %rsp
  ldmxcsr (%rsp)
  fldcw 0x04(%rsp)
  movq 0x08(%rsp), %r12
  movq 0x10(%rsp), %r13
  movq 0x18(%rsp), %r14
  movq 0x20(%rsp), %r15
  movq 0x28(%rsp), %rbx
  movq 0x30(%rsp), %rbp
  leaq 0x38(%rsp), %rsp
  .cfi_adjust_cfa_offset -0x38
  movq %rsi, %rdx
  movq %rax, %rdi
  ret
  .cfi_endproc
  .size armature_switch_stack, .-armature_switch_stack
)");

extern "C" boost::context::detail::transfer_t armature_switch_stack(armature::fibers::LeftStack to,
                                                                    void* data)
    __attribute__((visibility("hidden")));

#endif

namespace armature::fibers {

// A new stack has at its top what a switch takes from it. Boost 1.74 leaves the same there as ours
// does. 1.83 has a word for a stack's guard behind that for the rounding of numbers.
LeftStack make_stack(std::byte* top, std::size_t bytes,
                     void (*entry)(boost::context::detail::transfer_t)) {
  auto* const made =
      static_cast<std::byte*>(boost::context::detail::make_fcontext(top, bytes, entry));
#if defined(__x86_64__) && defined(__ELF__)
  constexpr std::uintptr_t taken = 0x40, alignment = 16;
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(top) & ~(alignment - 1);
  std::byte* const ours = made + (end - taken - reinterpret_cast<std::uintptr_t>(made));
  std::memmove(ours, made, sizeof(std::uint64_t));
  return ours;
#else
  return made;
#endif
}

boost::context::detail::transfer_t switch_stack(LeftStack to, void* data) {
#if defined(__x86_64__) && defined(__ELF__)
  return armature_switch_stack(to, data);
#else
  return boost::context::detail::jump_fcontext(to, data);
#endif
}

}  // namespace armature::fibers

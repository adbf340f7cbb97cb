#include "core/device/host/context_switch.hpp"

#include <cstdint>
#include <cstring>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>

#include <memory>
#endif

namespace kernelbatch::host {

#if defined(__x86_64__)

// Saves the six registers that a called function must keep; the floating-point control words are
// the same for all threads of a block.
asm(R"(
.pushsection .text
.balign 16
.hidden kernelbatch_switch_stack
.globl kernelbatch_switch_stack
.type kernelbatch_switch_stack, @function
kernelbatch_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size kernelbatch_switch_stack, .-kernelbatch_switch_stack
.popsection
)");
extern "C" void kernelbatch_switch_stack(void** save, void* load);

void switch_stack(StackPointer& from, const StackPointer& to) {
  kernelbatch_switch_stack(&from.value, to.value);
}

StackPointer prepare_stack(void* lowest, std::size_t bytes, void (*entry)()) {
  auto top = (reinterpret_cast<std::uintptr_t>(lowest) + bytes) & ~std::uintptr_t{15};
  auto* words = reinterpret_cast<void**>(top);
  // As if `entry` had been called: at its first instruction the stack is 8 modulo 16.
  *--words = nullptr;
  *--words = reinterpret_cast<void*>(entry);
  for (int k = 0; k < 6; ++k) *--words = nullptr;
  return {words};
}

#elif defined(__aarch64__)

asm(R"(
.pushsection .text
.balign 16
.hidden kernelbatch_switch_stack
.globl kernelbatch_switch_stack
.type kernelbatch_switch_stack, %function
kernelbatch_switch_stack:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size kernelbatch_switch_stack, .-kernelbatch_switch_stack
.popsection
)");
extern "C" void kernelbatch_switch_stack(void** save, void* load);

void switch_stack(StackPointer& from, const StackPointer& to) {
  kernelbatch_switch_stack(&from.value, to.value);
}

StackPointer prepare_stack(void* lowest, std::size_t bytes, void (*entry)()) {
  auto top = (reinterpret_cast<std::uintptr_t>(lowest) + bytes) & ~std::uintptr_t{15};
  auto* words = reinterpret_cast<void**>(top - 160);
  std::memset(words, 0, 160);
  words[11] = reinterpret_cast<void*>(entry);  // x30, where `ret` goes
  return {words};
}

#else

// The contexts live at the low end of their own stacks.
void switch_stack(StackPointer& from, const StackPointer& to) {
  ucontext_t here;
  from.value = &here;
  ::swapcontext(&here, static_cast<ucontext_t*>(to.value));
}

StackPointer prepare_stack(void* lowest, std::size_t bytes, void (*entry)()) {
  auto* context = new (lowest) ucontext_t;
  ::getcontext(context);
  context->uc_stack.ss_sp = static_cast<char*>(lowest) + sizeof(ucontext_t);
  context->uc_stack.ss_size = bytes - sizeof(ucontext_t);
  context->uc_link = nullptr;
  ::makecontext(context, entry, 0);
  return {context};
}

#endif

}  // namespace kernelbatch::host

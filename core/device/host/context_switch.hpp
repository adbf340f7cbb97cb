// Switching between stacks: a dozen instructions on x86-64 and aarch64, ucontext elsewhere.
#pragma once

#include <cstddef>

namespace kernelbatch::host {

/// A suspended stack: where to resume.
struct StackPointer {
  void* value = nullptr;
};

/// Saves the caller's place in `from` and resumes at `to`. Returns when another context switches
/// back.
void switch_stack(StackPointer& from, const StackPointer& to);

/// A place that begins by calling `entry` on the given stack; `entry` must never return.
StackPointer prepare_stack(void* lowest, std::size_t bytes, void (*entry)());

}  // namespace kernelbatch::host

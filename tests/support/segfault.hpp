// A real segmentation fault, under sanitizers too.
#pragma once

namespace kernelbatch::test {

/// Stores through a null pointer. The sanitizers would report it and end the process in their own
/// way instead (AddressSanitizer also needs handle_segv=0, which core/cmake/AddTests.cmake sets).
__attribute__((noinline, no_sanitize("address"), no_sanitize("undefined"))) inline void
follow_null_pointer() {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}

}  // namespace kernelbatch::test

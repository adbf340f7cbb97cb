#include "tests/support/allocations.hpp"

#include <cstdlib>
#include <new>

void* operator new(std::size_t bytes) {
  if (kernelbatch::test::is_counting) ++kernelbatch::test::allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  if (kernelbatch::test::is_counting) ++kernelbatch::test::allocations;
  return std::malloc(bytes);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

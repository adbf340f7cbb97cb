// A program without a GPU, into which the capture library is injected.
#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace fake_program {

struct Allocation {
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
};

/// The module that every kernel belongs to.
inline CUmodule module_handle() { return reinterpret_cast<CUmodule>(std::uintptr_t{7}); }

/// Memory of the fake driver.
std::array<Allocation, 2>& memory();

/// CUPTI's callback of its only subscriber.
struct Subscriber {
  void (*callback)(void* user, int domain, unsigned id, const void* data) = nullptr;
  void* user = nullptr;
};
Subscriber& subscriber();

}  // namespace fake_program

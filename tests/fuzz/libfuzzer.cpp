// libFuzzer's entry to one target, KERNELBATCH_FUZZ_TARGET.
#include "tests/fuzz/targets.hpp"

/// Leaks of HDF5 with damaged files are ignored.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kernelbatch::fuzz::KERNELBATCH_FUZZ_TARGET({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}

#include "core/device/cuda/cuda_prelude.hpp"

#include "core/device/compile_options.hpp"
#include "cuda_headers.hpp"
#include "prelude_embedded.hpp"

#define KERNELBATCH_UNLESS_NVCC(text) "#ifdef __CUDACC_RTC__\n" text "\n#endif"

namespace kernelbatch::cuda {

const Prelude& cuda_prelude() {
  static const Prelude kPrelude({
      .files = {{"kernelbatch/device.hpp", std::string(prelude::device_cuda)}},
      .parts = {{"kernelbatch/cuda_atomics.hpp", prelude::cuda_atomics, {"atomic*"}}},
      // The types of CUDA's own cstdint; nvcc already includes the C library's.
      .names = {{"uchar", "using uchar = unsigned char;"},
                {"ushort", "using ushort = unsigned short;"},
                {"uint", "using uint = unsigned int;"},
                {"ulong", "using ulong = unsigned long;"},
                {"int8_t", KERNELBATCH_UNLESS_NVCC("using int8_t = signed char;")},
                {"int16_t", KERNELBATCH_UNLESS_NVCC("using int16_t = short;")},
                {"int32_t", KERNELBATCH_UNLESS_NVCC("using int32_t = int;")},
                {"uint8_t", KERNELBATCH_UNLESS_NVCC("using uint8_t = unsigned char;")},
                {"uint16_t", KERNELBATCH_UNLESS_NVCC("using uint16_t = unsigned short;")},
                {"uint32_t", KERNELBATCH_UNLESS_NVCC("using uint32_t = unsigned int;")},
                {"int64_t", KERNELBATCH_UNLESS_NVCC("using int64_t = long long;")},
                {"uint64_t", KERNELBATCH_UNLESS_NVCC("using uint64_t = unsigned long long;")}},
      .headers = prelude::cuda_headers(),
  });
  return kPrelude;
}

std::string text_with_prelude(const KernelSource& source, const SplitOptions& options) {
  return reads_prelude(source.options) ? Prelude::with_prelude(source.name, options, source.text)
                                       : with_macros(source.name, options, source.text);
}

}  // namespace kernelbatch::cuda

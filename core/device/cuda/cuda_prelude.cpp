#include "core/device/cuda/cuda_prelude.hpp"

#include "prelude_embedded.hpp"

namespace kernelbatch::cuda {

const Prelude& cuda_prelude() {
  static const Prelude kPrelude({
      .files = {{"kernelbatch/device.hpp", std::string(prelude::device_cuda)}},
      .parts = {{"kernelbatch/cuda_atomics.hpp", prelude::cuda_atomics, {"atomic*"}}},
  });
  return kPrelude;
}

}  // namespace kernelbatch::cuda

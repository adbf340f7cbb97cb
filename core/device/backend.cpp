#include "core/device/backend.hpp"

#include <array>

#include "core/device/cuda/cuda_backend.hpp"
#include "core/device/host/host_backend.hpp"

namespace kernelbatch {

std::span<const Backend* const> backends() noexcept {
  static constexpr std::array kAll{
      &cuda::kBackend,
      &host::kBackend,
  };
  return kAll;
}

}  // namespace kernelbatch

// Tensor maps of the driver.
#pragma once

#include "core/device/tensor_map.hpp"

namespace kernelbatch::cuda {

/// Throws RunError if the driver refuses the form.
TensorMap encode_tensor_map(const TensorMapForm& form);

}  // namespace kernelbatch::cuda

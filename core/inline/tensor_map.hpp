// Tensor maps as arguments of inline kernels.
#pragma once

#include "core/base/value.hpp"
#include "core/device/tensor_map.hpp"
#include "core/inline/definition.hpp"

namespace kernelbatch {

/// Reads `{tensor_map: x, box: …}`; lists may have expressions of `facts`. Throws SpecError with
/// the place.
InlineTensorMap read_tensor_map(const YamlNode& node, const NamedValues& facts);

/// The form of a map of this array. Throws SpecError if it breaks a rule of tensor maps.
TensorMapForm tensor_map_form(const InlineTensorMap& map, const Array& array);

}  // namespace kernelbatch

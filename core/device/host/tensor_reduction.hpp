// Reductions of cp.reduce.async.bulk.tensor. Private to the host device's sources.
#pragma once

#include <cstddef>

#include "core/base/tensor_choices.hpp"

namespace kernelbatch::host {

/// Combines elements in global memory, each atomically, with `bytes` of others. `action` is a
/// kernelbatch_host::TensorAction.
void reduce_elements(TensorType type, int action, char* to, const char* from, std::size_t bytes);

}  // namespace kernelbatch::host

// Descriptor of a matrix in device memory for the tensor memory accelerator.
#pragma once

#include <cstdint>

#include "core/workload/workload.hpp"

namespace kernelbatch::workloads::matmul {

struct alignas(64) TensorMap {
  std::uint64_t words[16];
};

/// Boxes of `box_rows` rows of 128 bytes of a contiguous matrix whose rows begin at multiples of 16
/// bytes. In shared memory their 16-byte pieces are swizzled over the 128 bytes; float32 is rounded
/// to TF32 during the copy if `as_tf32`. Throws UnsupportedError if the driver has no such maps,
/// RunError if it refuses this one.
TensorMap tensor_map(const Device& device, const Array& matrix, std::uint32_t box_rows,
                     bool as_tf32);

}  // namespace kernelbatch::workloads::matmul

// What tells a GPU's tensor memory accelerator of a matrix in its memory.
#pragma once

#include <cstdint>

#include "core/workload/workload.hpp"

namespace kernelbatch::workloads::matmul {

struct alignas(64) TensorMap {
  std::uint64_t words[16];
};

/// Boxes of `box_rows` rows of 128 bytes of a contiguous matrix whose rows begin at multiples of 16
/// bytes. In shared memory their pieces of 16 bytes are swizzled over the 128 bytes; float32 is
/// rounded to TF32 on the way where `as_tf32` says so. Throws UnsupportedError where the driver has
/// no such maps, RunError where it refuses this one.
TensorMap tensor_map(const Device& device, const Array& matrix, std::uint32_t box_rows,
                     bool as_tf32);

}  // namespace kernelbatch::workloads::matmul

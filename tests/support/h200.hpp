// Properties of an H200, as the CUDA backend fills them in.
#pragma once

#include "core/device/device.hpp"

namespace kernelbatch::test {

inline DeviceProperties h200_properties() {
  DeviceProperties p;
  p.is_gpu = p.is_asynchronous = p.is_lost_by_crash = p.has_cuda_libraries = true;
  p.name = "imagined H200";
  p.target = "sm_90";
  p.compute_units = 132;
  p.capability_major = 9;
  p.memory = std::size_t{141} << 30;
  p.shared_cache = std::size_t{50} << 20;
  p.warp_size = 32;
  p.max_threads_per_block = 1024;
  p.max_threads_per_unit = 2048;
  p.shared_per_block = 48 * 1024;
  p.shared_per_block_optin = 227 * 1024;
  p.shared_per_unit = 228 * 1024;
  p.loop_block = 256;
  p.loop_lanes = 32;
  p.loop_blocks = 1056;
  p.loop_grain = 1;
  p.vector_bytes = 16;
  p.streams_per_thread = 4;
  return p;
}

/// A GPU so small that arrays of some thousand elements are large for it.
inline DeviceProperties small_h200_properties() {
  DeviceProperties p = h200_properties();
  p.loop_blocks = 2;
  return p;
}

}  // namespace kernelbatch::test

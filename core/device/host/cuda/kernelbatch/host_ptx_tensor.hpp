// Asked for by: __kernelbatch_ptx_tensor*.
// PTX's copies of tensors' boxes, and changes of tensor maps.
#pragma once

#include "kernelbatch/host_async.hpp"

/// Without a barrier it belongs to a group.
inline void __kernelbatch_ptx_tensor_copy(const char* map, char* place, const int* at, int axes,
                                          kernelbatch_host::TensorAction action, char* barrier) {
  __kernelbatch_begin_tensor_copy(map, place, at, axes, action, kernelbatch_host::kCopyBulk,
                                  barrier);
}

/// A map whose parts are being replaced: one of the host device, or 128 bytes that are zero.
inline kernelbatch_host::TensorMap& __kernelbatch_ptx_tensor_map(char* at) {
  auto& map = *reinterpret_cast<kernelbatch_host::TensorMap*>(at);
  if (map.mark == 0) map.mark = kernelbatch_host::kTensorMapMark;
  if (map.mark != kernelbatch_host::kTensorMapMark)
    __kernelbatch_stop(
        "tensormap.replace of a tensor map that is not one of the host device, nor zero");
  return map;
}
inline void __kernelbatch_ptx_tensor_map_copy(char* to, const char* from, unsigned bytes) {
  memcpy(to, from, bytes);
  __threadfence_system();
}

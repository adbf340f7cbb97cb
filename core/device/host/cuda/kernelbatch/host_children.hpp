// Asked for by: __kernelbatch_child.
// Launches that kernels make, and what of the device runtime's functions goes with them. A child's
// grid runs after the grid that launched it, in the order of the launches.
#pragma once

#ifndef cudaStreamFireAndForget
using cudaStream_t = struct CUstream_st*;
using cudaError_t = int;
static constexpr cudaError_t cudaSuccess = 0;
static constexpr unsigned cudaStreamNonBlocking = 1;
#define cudaStreamFireAndForget (static_cast<cudaStream_t>(nullptr))
#define cudaStreamTailLaunch (static_cast<cudaStream_t>(nullptr))
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = nullptr;
  return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
#endif

namespace kernelbatch {
namespace detail {

/// Waits for the arguments of a launch, then hands all of it to the host device.
template <class Function>
struct child_launch {
  Function function;
  kernelbatch_host::Index3 grid, block;
  unsigned long long shared_bytes;

  template <class... Arguments>
  KERNELBATCH_UNCHECKED void operator()(Arguments... arguments) {
    auto call = [function = function, arguments...] {
      __kernelbatch_file_shared::set_all();
      function(arguments...);
    };
    using Call = decltype(call);
    kernelbatch_host_thread->operations->launch_child(
        grid, block, shared_bytes,
        [](void* const* closure) { (*static_cast<Call*>(closure[0]))(); }, new Call(call),
        sizeof(Call),
        [](void* closure) { delete static_cast<Call*>(closure); });
  }
};

KERNELBATCH_INLINE kernelbatch_host::Index3 index_of(const dim3& size) {
  return {size.x, size.y, size.z};
}

}  // namespace detail
}  // namespace kernelbatch

template <class _Function>
inline auto __kernelbatch_child(_Function _function, dim3 _grid, dim3 _block,
                                unsigned long long _shared = 0, cudaStream_t = nullptr) {
  return kernelbatch::detail::child_launch<_Function>{
      _function, kernelbatch::detail::index_of(_grid), kernelbatch::detail::index_of(_block),
      _shared};
}

// Owners of the driver's handles.
#pragma once

#include "core/base/unique_handle.hpp"
#include "core/device/cuda/check.hpp"

namespace kernelbatch::cuda {

namespace detail {
inline void destroy_stream(CUstream stream) noexcept {
  check_in_destructor(driver_state().functions.cuStreamDestroy_(stream), "cuStreamDestroy");
}
inline void destroy_event(CUevent event) noexcept {
  check_in_destructor(driver_state().functions.cuEventDestroy_(event), "cuEventDestroy");
}
inline void unload_module(CUmodule module) noexcept {
  check_in_destructor(driver_state().functions.cuModuleUnload_(module), "cuModuleUnload");
}
inline void destroy_graph(CUgraph graph) noexcept {
  check_in_destructor(driver_state().functions.cuGraphDestroy_(graph), "cuGraphDestroy");
}
inline void destroy_graph_exec(CUgraphExec graph) noexcept {
  check_in_destructor(driver_state().functions.cuGraphExecDestroy_(graph), "cuGraphExecDestroy");
}
}  // namespace detail

using StreamHandle = UniqueHandle<CUstream, detail::destroy_stream>;
using EventHandle = UniqueHandle<CUevent, detail::destroy_event>;
using GraphHandle = UniqueHandle<CUgraph, detail::destroy_graph>;
using GraphExecHandle = UniqueHandle<CUgraphExec, detail::destroy_graph_exec>;
using ModuleHandle = UniqueHandle<CUmodule, detail::unload_module>;

}  // namespace kernelbatch::cuda

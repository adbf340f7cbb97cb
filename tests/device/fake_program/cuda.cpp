// A fake libcuda.so.1 for the library that is injected into programs: one context, two allocations
// in host memory, and kernels that are names. The test makes the callbacks.
#include <cuda.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "tests/device/fake_program/program.hpp"

namespace {

using fake_program::memory;

const fake_program::Allocation* allocation_at(CUdeviceptr address) {
  for (const fake_program::Allocation& each : memory())
    if (address >= each.address && address < each.address + each.bytes) return &each;
  return nullptr;
}

const char* name_of(const void* handle) { return static_cast<const char*>(handle); }

}  // namespace

namespace fake_program {

std::array<Allocation, 2>& memory() {
  alignas(256) static std::array<std::array<unsigned char, 512>, 2> bytes{};
  static std::array<Allocation, 2> all{
      Allocation{reinterpret_cast<std::uintptr_t>(bytes[0].data()), bytes[0].size()},
      Allocation{reinterpret_cast<std::uintptr_t>(bytes[1].data()), bytes[1].size()}};
  return all;
}

}  // namespace fake_program

extern "C" {

CUresult cuCtxSynchronize() { return CUDA_SUCCESS; }
CUresult cuCtxGetDevice(CUdevice* device) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  std::strncpy(name, "fake", static_cast<std::size_t>(size));
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute, CUdevice) {
  *value = 9;
  return CUDA_SUCCESS;
}
CUresult cuPointerGetAttributes(unsigned, CUpointer_attribute*, void** data, CUdeviceptr address) {
  const fake_program::Allocation* const found = allocation_at(address);
  *static_cast<unsigned*>(data[0]) = found == nullptr ? 0 : CU_MEMORYTYPE_DEVICE;
  for (const int start : {1, 3})
    *static_cast<std::uintptr_t*>(data[start]) = found == nullptr ? 0 : found->address;
  for (const int size : {2, 4})
    *static_cast<std::size_t*>(data[size]) = found == nullptr ? 0 : found->bytes;
  return CUDA_SUCCESS;
}
CUresult cuMemGetAddressRange(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr address) {
  const fake_program::Allocation* const found = allocation_at(address);
  if (found == nullptr) return CUDA_ERROR_NOT_FOUND;
  *base = found->address;
  *bytes = found->bytes;
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemAlloc(CUdeviceptr*, std::size_t) { return CUDA_ERROR_OUT_OF_MEMORY; }
CUresult cuMemsetD8(CUdeviceptr, unsigned char, std::size_t) { return CUDA_SUCCESS; }
CUresult cuModuleLoadData(CUmodule*, const void*) { return CUDA_ERROR_INVALID_IMAGE; }
CUresult cuModuleGetFunction(CUfunction*, CUmodule, const char*) { return CUDA_ERROR_NOT_FOUND; }
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, CUstream, void**, void**) {
  return CUDA_SUCCESS;
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  *status = stream == nullptr ? CU_STREAM_CAPTURE_STATUS_NONE : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return CUDA_SUCCESS;
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode*) { return CUDA_SUCCESS; }
CUresult cuFuncGetName(const char** name, CUfunction function) {
  *name = name_of(function);
  return CUDA_SUCCESS;
}
CUresult cuFuncGetModule(CUmodule* module, CUfunction) {
  *module = fake_program::module_handle();
  return CUDA_SUCCESS;
}
CUresult cuModuleGetGlobal(CUdeviceptr*, std::size_t*, CUmodule, const char*) {
  return CUDA_ERROR_NOT_FOUND;
}
// Kernels are handles of libraries, as those that the runtime launches.
CUresult cuFuncGetParamInfo(CUfunction, std::size_t, std::size_t*, std::size_t*) {
  return CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute, CUfunction) {
  *value = 32;
  return CUDA_SUCCESS;
}
CUresult cuKernelGetName(const char** name, CUkernel kernel) {
  *name = name_of(kernel);
  return CUDA_SUCCESS;
}
CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  *function = reinterpret_cast<CUfunction>(kernel);
  return CUDA_SUCCESS;
}
CUresult cuKernelGetParamInfo(CUkernel, std::size_t index, std::size_t* offset, std::size_t* size) {
  if (index > 2) return CUDA_ERROR_INVALID_VALUE;
  *offset = 8 * index;
  *size = index == 2 ? 4 : 8;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = nullptr;
  return CUDA_SUCCESS;
}
CUresult cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  *memory = std::calloc(bytes, 1);
  return CUDA_SUCCESS;
}
CUresult cuMemFreeHost(void* memory) {
  std::free(memory);
  return CUDA_SUCCESS;
}
CUresult cuGraphNodeGetDependencies(CUgraphNode, CUgraphNode*, CUgraphEdgeData*,
                                    std::size_t* count) {
  *count = 0;
  return CUDA_SUCCESS;
}
CUresult cuGraphNodeGetDependentNodes(CUgraphNode, CUgraphNode*, CUgraphEdgeData*,
                                      std::size_t* count) {
  *count = 0;
  return CUDA_SUCCESS;
}
CUresult cuGraphAddDependencies(CUgraph, const CUgraphNode*, const CUgraphNode*,
                                const CUgraphEdgeData*, std::size_t) {
  return CUDA_SUCCESS;
}
// A node's copy is made at once, so that before and after are equal.
CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph, const CUgraphNode*, std::size_t,
                              const CUDA_MEMCPY3D* copy, CUcontext) {
  std::memcpy(copy->dstHost, reinterpret_cast<const void*>(copy->srcDevice), copy->WidthInBytes);
  *node = reinterpret_cast<CUgraphNode>(copy->dstHost);
  return CUDA_SUCCESS;
}
CUresult cuGraphNodeSetEnabled(CUgraphExec, CUgraphNode, unsigned) { return CUDA_SUCCESS; }
CUresult cuGraphDestroyNode(CUgraphNode) { return CUDA_SUCCESS; }
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode, CUkernelNodeAttrID,
                                       CUkernelNodeAttrValue* value) {
  *value = {};
  return CUDA_SUCCESS;
}
CUresult cuGraphGetNodes(CUgraph, CUgraphNode* nodes, std::size_t* count) {
  *count = 1;
  if (nodes != nullptr) nodes[0] = nullptr;
  return CUDA_SUCCESS;
}
CUresult cuGraphNodeGetType(CUgraphNode, CUgraphNodeType* type) {
  *type = CU_GRAPH_NODE_TYPE_KERNEL;
  return CUDA_SUCCESS;
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode, CUDA_KERNEL_NODE_PARAMS* parameters) {
  static std::uint64_t x = fake_program::memory()[0].address, y = fake_program::memory()[1].address;
  static int n = 781;
  static void* pointers[] = {&x, &y, &n};
  *parameters = {};
  parameters->func = reinterpret_cast<CUfunction>(const_cast<char*>("in_graph"));
  parameters->gridDimX = 5;
  parameters->gridDimY = parameters->gridDimZ = 1;
  parameters->blockDimX = parameters->blockDimY = parameters->blockDimZ = 1;
  parameters->kernelParams = pointers;
  return CUDA_SUCCESS;
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode, CUgraph*) { return CUDA_ERROR_INVALID_VALUE; }

}  // extern "C"

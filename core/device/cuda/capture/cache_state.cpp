#include "core/device/cuda/capture/cache_state.hpp"

namespace kernelbatch::capture {
namespace {

/// Reads 32-bit words through the L2 cache. The sum keeps the loads; it is hardly ever stored.
constexpr const char* kReader = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry kernelbatch_read(.param .u64 from, .param .u64 words, .param .u64 sink)
{
  .reg .pred %p<3>;
  .reg .b32 %r<8>;
  .reg .b64 %d<9>;
  ld.param.u64 %d1, [from];
  ld.param.u64 %d2, [words];
  ld.param.u64 %d3, [sink];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  cvt.u64.u32 %d4, %r4;
  mov.u32 %r5, %nctaid.x;
  mul.lo.u32 %r5, %r5, %r2;
  cvt.u64.u32 %d5, %r5;
  mov.u32 %r6, 0;
next:
  setp.ge.u64 %p1, %d4, %d2;
  @%p1 bra done;
  shl.b64 %d6, %d4, 2;
  add.u64 %d7, %d6, %d1;
  ld.global.cg.u32 %r7, [%d7];
  add.u32 %r6, %r6, %r7;
  add.u64 %d4, %d4, %d5;
  bra next;
done:
  setp.eq.u32 %p2, %r6, 0x9e3779b9;
  @%p2 st.global.u32 [%d3], %r6;
  ret;
}
)";

}  // namespace

CacheState::Tools CacheState::make_tools() const {
  Tools tools;
  CUdevice device = 0;
  CUdeviceptr memory = 0;
  CUmodule module = nullptr;
  int cache_bytes = 0;
  cuda_.cuCtxGetDevice_(&device);
  cuda_.cuDeviceGetAttribute_(&cache_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device);
  const std::uint64_t bytes = 2 * static_cast<std::uint64_t>(cache_bytes);
  if (bytes == 0 || cuda_.cuMemAlloc_(&memory, bytes) != CUDA_SUCCESS) return tools;
  tools.memory = {memory, bytes};
  if (cuda_.cuModuleLoadData_(&module, kReader) == CUDA_SUCCESS)
    cuda_.cuModuleGetFunction_(&tools.reader, module, "kernelbatch_read");
  return tools;
}

void CacheState::read(const Tools& tools, const Range& range) const {
  constexpr unsigned kBlocks = 1024, kThreads = 256;
  if (tools.reader == nullptr) return;
  std::uint64_t from = (range.address + 3) / 4 * 4, words = range.bytes / 4,
                sink = tools.memory.address;
  void* arguments[] = {&from, &words, &sink};
  cuda_.cuLaunchKernel_(tools.reader, kBlocks, 1, 1, kThreads, 1, 1, 0, nullptr, arguments,
                        nullptr);
}

void CacheState::prepare(CacheUse use, std::span<const Range> ranges) {
  CUcontext context = nullptr;
  if (cuda_.cuCtxGetCurrent_(&context) != CUDA_SUCCESS) return;
  if (!tools_.contains(context)) tools_[context] = make_tools();
  const Tools& tools = tools_[context];
  if (tools.memory.bytes == 0) return;
  cuda_.cuMemsetD8_(tools.memory.address, 0, tools.memory.bytes);
  read(tools, tools.memory);  // evicts the lines that the memset wrote
  if (use == CacheUse::kWarm)
    for (const Range& range : ranges) read(tools, range);
  cuda_.cuCtxSynchronize_();
}

}  // namespace kernelbatch::capture

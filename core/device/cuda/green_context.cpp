#include "core/device/cuda/green_context.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/device/cuda/check.hpp"

namespace kernelbatch::cuda {
namespace {

CUdevResource split(CUdevice device, int units) {
  CUdevResource all{}, part{}, rest{};
  check(driver().cuDeviceGetDevResource_(device, &all, CU_DEV_RESOURCE_TYPE_SM),
        "cuDeviceGetDevResource");
  unsigned groups = 1;
  const CUresult result = driver().cuDevSmResourceSplitByCount_(&part, &groups, &all, &rest, 0,
                                                                static_cast<unsigned>(units));
  if (result != CUDA_SUCCESS || groups != 1)
    throw UnsupportedError(fmt::format("limits.sms: {} of {} SMs cannot be separated on this GPU",
                                       units, all.sm.smCount));
  return part;
}

}  // namespace

GreenContext::GreenContext(CUdevice device, int units) {
  CUdevResource part = split(device, units);
  CUdevResourceDesc description = nullptr;
  check(driver().cuDevResourceGenerateDesc_(&description, &part, 1), "cuDevResourceGenerateDesc");
  check(driver().cuGreenCtxCreate_(&context_, description, device, CU_GREEN_CTX_DEFAULT_STREAM),
        "cuGreenCtxCreate");
  CUcontext current = nullptr;
  check(driver().cuCtxFromGreenCtx_(&current, context_), "cuCtxFromGreenCtx");
  check(driver().cuCtxSetCurrent_(current), "cuCtxSetCurrent");
  units_ = static_cast<int>(part.sm.smCount);
}

GreenContext::~GreenContext() {
  check_in_destructor(driver_state().functions.cuGreenCtxDestroy_(context_), "cuGreenCtxDestroy");
}

}  // namespace kernelbatch::cuda

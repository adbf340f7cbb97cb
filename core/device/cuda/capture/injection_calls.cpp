// Calls of the program, except launches: loads of code, and graphs.
#include "core/device/cuda/capture/injection.hpp"

namespace kernelbatch::capture {

void Injection::on_source(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (*static_cast<const CUresult*>(data.functionReturnValue) != CUDA_SUCCESS) return;
  PtxSources& ptx = modules_.ptx();
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData:
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx:
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary: {
      // Each begins with the place of the module and the code.
      const auto& given = *static_cast<const cuModuleLoadData_params*>(data.functionParams);
      return ptx.add(*given.module, given.image);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData: {
      const auto* const given = static_cast<const cuLibraryLoadData_params*>(data.functionParams);
      return ptx.add(*given->library, given->code);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLinkAddData_v2: {
      const auto& given = *static_cast<const cuLinkAddData_v2_params*>(data.functionParams);
      if (given.type == CU_JIT_INPUT_PTX)
        ptx.add_text({static_cast<const char*>(given.data), given.size});
      return;
    }
    default:
      return;
  }
}

void Injection::on_graph(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const bool is_enter = data.callbackSite == CUPTI_API_ENTER;
  const RelaxedCapture relaxed(cuda_);
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz: {
      const auto& given = *static_cast<const cuGraphLaunch_params*>(data.functionParams);
      if (!is_enter && !is_capturing(given.hStream)) graphs_.launched(given.hGraph);
      return;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2: {
      // The first parameter of each is the executable graph.
      const auto& given = *static_cast<const cuGraphExecDestroy_params*>(data.functionParams);
      if (!is_enter) return;
      if (id == CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy) return graphs_.forget(given.hGraphExec);
      return graphs_.changed(given.hGraphExec);
    }
    default: {
      // Every function that instantiates a graph begins with the place of the result and the graph.
      const auto& given =
          *static_cast<const cuGraphInstantiateWithFlags_params*>(data.functionParams);
      if (is_enter)
        graphs_.prepare(given.hGraph);
      else if (*static_cast<const CUresult*>(data.functionReturnValue) == CUDA_SUCCESS)
        graphs_.instantiated(*given.phGraphExec);
    }
  }
}

}  // namespace kernelbatch::capture

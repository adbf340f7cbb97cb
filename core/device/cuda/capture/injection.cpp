#include "core/device/cuda/capture/injection.hpp"

#include <unistd.h>

#include <cstdio>

namespace kernelbatch::capture {
namespace {

void report(const std::string& message) {
  std::fprintf(stderr, "kernelbatch capture: %s\n", message.c_str());
}

/// State of a thread.
struct ThreadState {
  bool is_inside = false;         ///< in a callback: its own calls are not recorded
  bool is_recording = false;      ///< between the callbacks of a recorded or prepared launch
  bool has_record = false;        ///< it is recorded
  std::string launch = {};        ///< kernel and shape of the recorded launch
  CUfunction function = nullptr;  ///< of the last launch
  SeenKernel* seen = nullptr;
  std::uint64_t unloads = 0;
};

thread_local ThreadState state;

class Inside {
 public:
  Inside() { state.is_inside = true; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { state.is_inside = false; }
};

std::string launch_key(const LaunchCall& call, const std::string& kernel) {
  std::string key = kernel;
  const CUlaunchConfig& config = call.config;
  for (const unsigned each : {config.gridDimX, config.gridDimY, config.gridDimZ, config.blockDimX,
                              config.blockDimY, config.blockDimZ})
    key += " " + std::to_string(each);
  return key;
}

/// Calls that may load a module.
constexpr CUpti_CallbackId kLoads[] = {
    CUPTI_DRIVER_TRACE_CBID_cuModuleLoad, CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData,
    CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx, CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary,
    CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction};
constexpr CUpti_CallbackId kSources[] = {CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData,
                                         CUPTI_DRIVER_TRACE_CBID_cuLinkAddData_v2};
constexpr CUpti_CallbackId kRange[] = {CUPTI_DRIVER_TRACE_CBID_cuProfilerStart,
                                       CUPTI_DRIVER_TRACE_CBID_cuProfilerStop};
constexpr CUpti_CallbackId kLaunches[] = {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                                          CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
                                          CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                                          CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
                                          CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
                                          CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz};
constexpr CUpti_CallbackId kGraphs[] = {CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate,
                                        CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate_v2,
                                        CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags,
                                        CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams,
                                        CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams_ptsz,
                                        CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
                                        CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz,
                                        CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy,
                                        CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams,
                                        CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2,
                                        CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate,
                                        CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2};

CUmodule loaded_module(CUpti_CallbackId id, const void* data) {
  // Except for cuModuleGetFunction, the first parameter points to the new module.
  if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction)
    return static_cast<const cuModuleGetFunction_params*>(data)->hmod;
  CUmodule* const place = static_cast<const cuModuleLoadData_params*>(data)->module;
  return place == nullptr ? nullptr : *place;
}

void CUPTIAPI on_callback(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                          const void* data) {
  static_cast<Injection*>(user)->handle(domain, id, data);
}

}  // namespace

Injection::Injection(Settings settings, const LoadedCuda& cuda)
    : cuda_(cuda),
      memory_(cuda),
      recorder_(std::move(settings), memory_, report),
      modules_(cuda, recorder_.selection()),
      graphs_(cuda, memory_, recorder_, modules_),
      times_(cuda),
      cache_(cuda),
      process_(::getpid()) {}

std::string Injection::subscribe() {
  CUpti_SubscriberHandle subscriber = nullptr;
  const CUptiResult result = cuda_.cuptiSubscribe_(&subscriber, on_callback, this);
  if (result != CUPTI_SUCCESS) {
    const char* text = nullptr;
    cuda_.cuptiGetResultString_(result, &text);
    return "CUPTI refuses to be used" +
           std::string(result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
                           ? ": another profiler uses it in this program"
                           : std::string(" (") + (text == nullptr ? "?" : text) + ")");
  }
  const auto enable = [&](CUpti_CallbackDomain domain, CUpti_CallbackId id) {
    cuda_.cuptiEnableCallback_(1, subscriber, domain, id);
  };
  enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
  enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING);
  for (const CUpti_CallbackId id : kLoads) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
  for (const CUpti_CallbackId id : kSources) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
  if (recorder_.settings().has_range)
    for (const CUpti_CallbackId id : kRange) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
  for (const CUpti_CallbackId id : kLaunches) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
  for (const CUpti_CallbackId id : kGraphs) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
  return "";
}

void Injection::handle(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    try {
      on_resource(id, *static_cast<const CUpti_ResourceData*>(data));
    } catch (const std::exception& error) {
      report(error.what());
    }
    return;
  }
  if (state.is_inside) return;
  const Inside inside;
  try {
    on_call(id, *static_cast<const CUpti_CallbackData*>(data));
  } catch (const std::exception& error) {
    report(error.what());
  }
}

void Injection::on_resource(CUpti_CallbackId id, const CUpti_ResourceData& data) {
  if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED)
    return modules_.add(*static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor));
  const std::lock_guard lock(mutex_);
  kernels_.clear();
  unloads_.fetch_add(1, std::memory_order_relaxed);
}

void Injection::on_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const bool is_enter = data.callbackSite == CUPTI_API_ENTER;
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
      return is_enter ? on_launch(plain_launch(data.functionParams), data) : end(data);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
      return is_enter ? on_launch(extended_launch(data.functionParams), data) : end(data);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
      return is_enter ? on_launch(cooperative_launch(data.functionParams), data) : end(data);
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoad:
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData:
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx:
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary:
    case CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction:
      if (is_enter) return modules_.begin_call();
      modules_.end_call(loaded_module(id, data.functionParams));
      return on_source(id, data);
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData:
    case CUPTI_DRIVER_TRACE_CBID_cuLinkAddData_v2:
      return is_enter ? void() : on_source(id, data);
    case CUPTI_DRIVER_TRACE_CBID_cuProfilerStart:
    case CUPTI_DRIVER_TRACE_CBID_cuProfilerStop:
      return recorder_.selection().set_open(id == CUPTI_DRIVER_TRACE_CBID_cuProfilerStart);
    default:
      return on_graph(id, data);
  }
}

SeenKernel& Injection::seen(CUfunction function, const char* symbol) {
  const std::uint64_t unloads = unloads_.load(std::memory_order_relaxed);
  if (state.function == function && state.unloads == unloads) return *state.seen;
  SeenKernel* found = nullptr;
  {
    const std::shared_lock lock(mutex_);
    const auto known = kernels_.find(function);
    if (known != kernels_.end()) found = known->second;
  }
  if (found == nullptr) {
    const std::string name = symbol != nullptr ? symbol : name_of(cuda_, function);
    found = &recorder_.selection().kernel(name);
    const std::lock_guard lock(mutex_);
    kernels_[function] = found;
  }
  state.function = function;
  state.unloads = unloads;
  state.seen = found;
  return *found;
}

bool Injection::is_capturing(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  // An error: another stream is captured, and this is the legacy stream.
  return cuda_.cuStreamIsCapturing_(stream, &status) != CUDA_SUCCESS ||
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void Injection::on_launch(const LaunchCall& call, const CUpti_CallbackData& data) {
  if (is_recording_.load(std::memory_order_acquire)) const std::shared_lock wait(launches_);
  SeenKernel& kernel = seen(call.function, data.symbolName);
  if (!kernel.matches) {
    kernel.launches.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (is_capturing(call.config.hStream)) return;  // counted when its graph is instantiated
  const std::string name =
      data.symbolName != nullptr ? data.symbolName : name_of(cuda_, call.function);
  const bool is_known = times_.is_on() && times_.knows(launch_key(call, name));
  if (is_known && recorder_.settings().is_distinct)
    kernel.launches.fetch_add(1, std::memory_order_relaxed);
  else if (recorder_.selection().count(kernel) > 0)
    return begin(call, name, data.correlationId);
  if (is_known) time(call, name, data.correlationId);
}

void Injection::begin(const LaunchCall& call, const std::string& kernel,
                      std::uint32_t correlation) {
  wait_for_others();
  state.has_record = true;
  state.launch = launch_key(call, kernel);
  const RelaxedCapture relaxed(cuda_);
  Capture capture{.launch = launch_of(cuda_, call, kernel)};
  Modules::Found found = modules_.find(call.function, kernel);
  if (int& carveout = capture.launch.carveout; carveout < 0)
    cuda_.cuFuncGetAttribute_(&carveout, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                              function_in_context(cuda_, call.function));
  capture.images_of_name = found.candidates;
  if (found.image) capture.image = found.image->bytes;
  capture.ptx = std::move(found.ptx);
  capture.variables = std::move(found.variables);
  capture.device = device_of(cuda_);
  const std::vector<Range> ranges = recorder_.begin(std::move(capture));
  if (const auto use = times_.begin(state.launch, correlation)) cache_.prepare(*use, ranges);
}

void Injection::time(const LaunchCall& call, const std::string& kernel, std::uint32_t correlation) {
  const auto use = times_.add(launch_key(call, kernel), correlation);
  if (!use) return;
  wait_for_others();
  state.has_record = false;
  const RelaxedCapture relaxed(cuda_);
  PointerSearch search(memory_);
  search.add_words(launch_of(cuda_, call, kernel).bytes);
  memory_.synchronize();
  cache_.prepare(*use, search.ranges());
}

void Injection::wait_for_others() {
  launches_.lock();
  is_recording_ = true;
  state.is_recording = true;
}

void Injection::end(const CUpti_CallbackData& data) {
  if (!state.is_recording) return;
  state.is_recording = false;
  const RelaxedCapture relaxed(cuda_);
  const CUresult result = *static_cast<const CUresult*>(data.functionReturnValue);
  try {
    if (!state.has_record)
      memory_.synchronize();
    else if (result == CUDA_SUCCESS)
      times_.set_folder(state.launch, recorder_.end());
    else
      recorder_.cancel("the launch failed in the program (error " + std::to_string(result) + ")");
  } catch (const std::exception& error) {
    report(error.what());
  }
  is_recording_ = false;
  launches_.unlock();
}

void Injection::finish() {
  if (::getpid() != process_) return;
  const Inside inside;
  try {
    times_.write();
    recorder_.write_seen();
  } catch (const std::exception& error) {
    report(error.what());
  }
}

}  // namespace kernelbatch::capture

// The injected library with a fake driver and a fake CUPTI, whose callbacks this test makes.
#include <cuda.h>
#include <cupti.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/file.hpp"
#include "core/base/scratch_folder.hpp"
#include "core/base/shared_library.hpp"
#include "core/device/cuda/capture/settings.hpp"
#include "tests/device/fake_program/program.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

/// The process is the captured program: its libraries are loaded once.
class Program {
 public:
  explicit Program(capture::Settings settings)
      : driver_("libcuda.so.1", SharedLibrary::Lifetime::kProcess),
        cupti_("libcupti.so.13", SharedLibrary::Lifetime::kProcess),
        capture_(KERNELBATCH_CAPTURE_LIBRARY, SharedLibrary::Lifetime::kProcess) {
    settings.folder = folder_.path().string();
    const fs::path file = folder_.write("settings.json", capture::to_json(settings));
    ::setenv(capture::kSettingsVariable, file.c_str(), 1);
    // Names as the compiler gives them to C++ functions.
    memory = function<std::array<fake_program::Allocation, 2>&()>(driver_,
                                                                  "_ZN12fake_program6memoryEv")();
    subscriber_ =
        &function<fake_program::Subscriber&()>(cupti_, "_ZN12fake_program10subscriberEv")();
    function<int()>(capture_, "InitializeInjection")();
  }

  bool is_subscribed() const { return subscriber_->callback != nullptr; }
  void start_again() { function<int()>(capture_, "InitializeInjection")(); }

  template <class Parameters>
  void call(unsigned id, Parameters parameters, const char* symbol,
            const std::function<void()>& body = {}) {
    CUresult result = CUDA_SUCCESS;
    CUpti_CallbackData data{};
    data.functionParams = &parameters;
    data.functionReturnValue = &result;
    data.symbolName = symbol;
    for (const CUpti_ApiCallbackSite site : {CUPTI_API_ENTER, CUPTI_API_EXIT}) {
      data.callbackSite = site;
      subscriber_->callback(subscriber_->user, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
      if (site == CUPTI_API_ENTER && body) body();
    }
  }

  void launch(const char* kernel, CUstream stream = nullptr,
              const std::function<void()>& body = {}) {
    std::uint64_t x = memory[0].address, y = memory[1].address;
    int n = 781;
    void* pointers[] = {&x, &y, &n};
    cuLaunchKernel_params parameters{};
    parameters.f = reinterpret_cast<CUfunction>(const_cast<char*>(kernel));
    parameters.gridDimX = 7;
    parameters.gridDimY = parameters.gridDimZ = parameters.blockDimY = parameters.blockDimZ = 1;
    parameters.blockDimX = 64;
    parameters.hStream = stream;
    parameters.kernelParams = pointers;
    call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, parameters, kernel, body);
  }

  std::vector<fs::path> records() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      if (entry.path().extension() == ".launch") found.push_back(entry.path());
    return found;
  }

  std::array<fake_program::Allocation, 2> memory = {};

 private:
  template <class Signature>
  static Signature* function(const SharedLibrary& library, const char* name) {
    void* const found = library.find(name);
    REQUIRE(found != nullptr);
    return reinterpret_cast<Signature*>(found);
  }

  ScratchFolder folder_;
  SharedLibrary driver_, cupti_, capture_;
  fake_program::Subscriber* subscriber_ = nullptr;
};

}  // namespace

TEST_CASE("Launches of a program are recorded by the injected library") {
  Program program({.kernel = "wanted|in_graph",
                   .nth = 2,
                   .count = 2,
                   .limit = 1 << 20,
                   .is_distinct = true,
                   .has_range = true,
                   .has_graphs = true});
  REQUIRE(program.is_subscribed());
  CUmodule module = fake_program::module_handle();
  cuModuleLoadData_params load{};
  load.module = &module;
  load.image = ".version 8.0\n.target sm_90\n.visible .entry wanted(\n";
  program.call(CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData, load, nullptr);
  // Not counted: the warm-up of the program.
  for (int k = 0; k < 3; ++k) program.launch("wanted");
  program.call(CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, 0, nullptr);
  auto* const y = reinterpret_cast<unsigned char*>(program.memory[1].address);
  program.launch("other");
  program.launch("wanted");
  // Part of a graph that is being captured: it runs later.
  program.launch("wanted", reinterpret_cast<CUstream>(std::uintptr_t{1}));
  CHECK(program.records().empty());
  program.launch("wanted", nullptr, [&] { y[3] = 9; });
  REQUIRE(program.records().size() == 1);
  const auto json = nlohmann::json::parse(read_file(program.records()[0] / "launch.json"));
  CHECK(json.at("kernel") == "wanted");
  CHECK(json.at("device") == "fake (sm_99)");
  CHECK(json.at("grid") == nlohmann::json({7, 1, 1}));
  CHECK(json.at("parameters").size() == 3);
  REQUIRE(json.at("ptx").size() == 1);
  CHECK(read_file(program.records()[0] / json.at("ptx")[0].at("file")) ==
        static_cast<const char*>(load.image));
  REQUIRE(json.at("memory").size() == 2);
  CHECK_FALSE(json.at("memory")[0].contains("after"));
  CHECK(json.at("memory")[1].contains("after"));

  // The same kernel and shape again: only its time is recorded.
  program.launch("wanted");
  CHECK(program.records().size() == 1);

  // Kernels of graphs are recorded by nodes that copy their memory.
  CUgraphExec executable = reinterpret_cast<CUgraphExec>(std::uintptr_t{3});
  cuGraphInstantiateWithFlags_params graph{};
  graph.phGraphExec = &executable;
  program.call(CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags, graph, nullptr);
  cuGraphLaunch_params launch{};
  launch.hGraph = executable;
  program.call(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, launch, nullptr);
  REQUIRE(program.records().size() == 2);
  for (const fs::path& record : program.records()) {
    const auto read = nlohmann::json::parse(read_file(record / "launch.json"));
    if (read.at("kernel") == "wanted") continue;
    CHECK(read.at("kernel") == "in_graph");
    CHECK(read.at("grid") == nlohmann::json({5, 1, 1}));
    CHECK(read.at("memory").size() == 2);
  }
  // Other arguments end the recording of a graph.
  cuGraphExecUpdate_v2_params update{};
  update.hGraphExec = executable;
  program.call(CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2, update, nullptr);
  // All launches that were asked for are recorded.
  program.launch("wanted");
  CHECK(program.records().size() == 2);

  // A second subscriber is refused by CUPTI; the program continues.
  program.start_again();
}

}  // namespace kernelbatch

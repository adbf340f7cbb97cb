#include "core/device/cuda/nvrtc_compiler.hpp"

#include <fmt/format.h>
#include <nvrtc.h>

#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/base/shared_library.hpp"
#include "core/base/text.hpp"
#include "prelude_embedded.hpp"

namespace kernelbatch::cuda {
namespace {

#define KERNELBATCH_NVRTC_FUNCTIONS(_) \
  _(nvrtcVersion)                      \
  _(nvrtcGetErrorString)               \
  _(nvrtcCreateProgram)                \
  _(nvrtcDestroyProgram)               \
  _(nvrtcAddNameExpression)            \
  _(nvrtcCompileProgram)               \
  _(nvrtcGetLoweredName)               \
  _(nvrtcGetProgramLogSize)            \
  _(nvrtcGetProgramLog)                \
  _(nvrtcGetCUBINSize)                 \
  _(nvrtcGetCUBIN)

struct Nvrtc {
#define KERNELBATCH_NVRTC_MEMBER(name) decltype(&::name) name##_ = nullptr;
  KERNELBATCH_NVRTC_FUNCTIONS(KERNELBATCH_NVRTC_MEMBER)
#undef KERNELBATCH_NVRTC_MEMBER
  std::string reason;
  std::string version;
  std::filesystem::path path;
};

std::vector<std::string> candidate_names() {
  std::vector<std::string> names;
  const std::array<const char*, 2> versions{"libnvrtc.so.13", "libnvrtc.so.12"};
  for (const char* name : versions) names.emplace_back(name);
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto home = environment(variable))
      for (const char* name : versions) names.push_back(fmt::format("{}/lib64/{}", *home, name));
  for (const char* folder : {"/usr/local/cuda/lib64", "/usr/local/cuda/lib"})
    for (const char* name : versions) names.push_back(fmt::format("{}/{}", folder, name));
  return names;
}

Nvrtc open_nvrtc() {
  Nvrtc nvrtc;
  std::optional<SharedLibrary> library;
  for (const std::string& name : candidate_names()) {
    library = SharedLibrary::try_open(name, SharedLibrary::Lifetime::kProcess);
    if (library) break;
  }
  if (!library) {
    nvrtc.reason = "NVRTC (libnvrtc.so.13 or .12) not found; load a CUDA module or set CUDA_HOME";
    return nvrtc;
  }
  nvrtc.path = library->path();
#define KERNELBATCH_NVRTC_FIND(name)                                               \
  nvrtc.name##_ = reinterpret_cast<decltype(nvrtc.name##_)>(library->find(#name)); \
  if (nvrtc.name##_ == nullptr)                                                    \
    nvrtc.reason = fmt::format("{} has no {}: too old", nvrtc.path.string(), #name);
  KERNELBATCH_NVRTC_FUNCTIONS(KERNELBATCH_NVRTC_FIND)
#undef KERNELBATCH_NVRTC_FIND
  if (!nvrtc.reason.empty()) return nvrtc;
  int major = 0;
  int minor = 0;
  nvrtc.nvrtcVersion_(&major, &minor);
  nvrtc.version = fmt::format("{}.{}", major, minor);
  return nvrtc;
}

const Nvrtc& nvrtc_state() {
  static const Nvrtc state = open_nvrtc();
  return state;
}

const Nvrtc& nvrtc() {
  const Nvrtc& state = nvrtc_state();
  if (!state.reason.empty()) throw DeviceError(state.reason);
  return state;
}

void check(nvrtcResult result, std::string_view what) {
  if (result == NVRTC_SUCCESS) return;
  throw RunError(fmt::format("{} failed: {}", what, nvrtc().nvrtcGetErrorString_(result)));
}

/// Folder of the toolkit's headers, for sources that include them; nothing where there is none.
std::optional<std::filesystem::path> toolkit_include() {
  std::vector<std::filesystem::path> candidates;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto home = environment(variable))
      candidates.push_back(std::filesystem::path(*home) / "include");
  candidates.push_back(nvrtc().path.parent_path() / "../include");
  candidates.push_back(nvrtc().path.parent_path() / "../targets/x86_64-linux/include");
  candidates.emplace_back("/usr/local/cuda/include");
  std::error_code ignored;
  for (const auto& folder : candidates)
    if (std::filesystem::exists(folder / "cuda_fp16.h", ignored)) return folder.lexically_normal();
  return std::nullopt;
}

class Program {
 public:
  explicit Program(const KernelSource& source) {
    const std::array<const char*, 2> texts{prelude::device_cuda.data(), prelude::common.data()};
    const std::array<const char*, 2> names{"kernelbatch/device.hpp", "kernelbatch/common.hpp"};
    check(nvrtc().nvrtcCreateProgram_(&program_, source.text.c_str(), (source.name + ".cu").c_str(),
                                      2, texts.data(), names.data()),
          "nvrtcCreateProgram");
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (nvrtc_state().nvrtcDestroyProgram_(&program_) != NVRTC_SUCCESS)
      warn("nvrtcDestroyProgram failed while cleaning up");
  }
  nvrtcProgram get() const noexcept { return program_; }

  std::string log() const {
    std::size_t size = 0;
    check(nvrtc().nvrtcGetProgramLogSize_(program_, &size), "nvrtcGetProgramLogSize");
    std::string text(size, '\0');
    check(nvrtc().nvrtcGetProgramLog_(program_, text.data()), "nvrtcGetProgramLog");
    while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
    return text;
  }

 private:
  nvrtcProgram program_ = nullptr;
};

class NvrtcCompiler final : public Compiler {
 public:
  explicit NvrtcCompiler(std::string_view target) : target_(target) {}

  std::string_view target() const override { return target_; }

  std::string identity() const override {
    return fmt::format("nvrtc {} prelude {}", nvrtc().version,
                       hash_hex(hash_hex(prelude::device_cuda) + hash_hex(prelude::common)));
  }

  Image compile(const KernelSource& source) override {
    // A fatbin holds code for this target already: the driver picks it out when it loads.
    if (!source.prebuilt.empty()) return {target_, std::string(source.prebuilt), {}};

    const Program program{source};
    // Without name expressions a kernel's symbol is its name.
    const std::vector<std::string> expressions =
        source.has_plain_names ? std::vector<std::string>{} : source.entries;
    for (const std::string& entry : expressions)
      check(nvrtc().nvrtcAddNameExpression_(program.get(), entry.c_str()),
            fmt::format("asking for kernel '{}'", entry));
    std::vector<std::string> options{fmt::format("-arch={}", target_)};
    bool has_standard = false;
    for (const std::string& option : source.options) {
      has_standard = has_standard || option.find("-std=") != std::string::npos;
      options.push_back(option);
    }
    if (!has_standard) options.emplace_back("--std=c++20");
    // Only a source with includes of its own pays for looking up the toolkit's folder.
    if (source.text.find("#include <") != std::string::npos) {
      if (const auto folder = toolkit_include()) {
        options.push_back("-I" + folder->string());
        options.push_back("-I" + (*folder / "cccl").string());
      }
    }
    std::vector<const char*> pointers;
    for (const std::string& option : options) pointers.push_back(option.c_str());
    const nvrtcResult result = nvrtc().nvrtcCompileProgram_(
        program.get(), static_cast<int>(pointers.size()), pointers.data());
    if (result != NVRTC_SUCCESS) {
      const std::string log = program.log();
      throw CompileError(fmt::format("cannot compile '{}' for {} ({}):\n{}", source.name, target_,
                                     nvrtc().nvrtcGetErrorString_(result), log),
                         log, source.text);
    }
    Image image{target_, {}, {}};
    std::size_t size = 0;
    check(nvrtc().nvrtcGetCUBINSize_(program.get(), &size), "nvrtcGetCUBINSize");
    image.bytes.resize(size);
    check(nvrtc().nvrtcGetCUBIN_(program.get(), image.bytes.data()), "nvrtcGetCUBIN");
    for (const std::string& entry : expressions) {
      const char* symbol = nullptr;
      check(nvrtc().nvrtcGetLoweredName_(program.get(), entry.c_str(), &symbol),
            fmt::format("looking up kernel '{}'", entry));
      image.symbols[entry] = symbol;
    }
    return image;
  }

 private:
  std::string target_;
};

}  // namespace

std::unique_ptr<Compiler> make_nvrtc_compiler(std::string_view target) {
  nvrtc();
  return std::make_unique<NvrtcCompiler>(target);
}

std::string nvrtc_description() {
  const Nvrtc& state = nvrtc_state();
  if (!state.reason.empty()) return state.reason;
  return fmt::format("{} from {}", state.version, state.path.string());
}

}  // namespace kernelbatch::cuda

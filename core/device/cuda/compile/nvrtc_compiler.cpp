#include "core/device/cuda/compile/nvrtc_compiler.hpp"

#include <fmt/format.h>
#include <nvrtc.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/shared_library.hpp"
#include "core/base/text.hpp"
#include "core/device/compile_options.hpp"
#include "core/device/cuda/compile/device_link.hpp"
#include "core/device/cuda/compile/nvcc_compiler.hpp"
#include "core/device/cuda/cuda_prelude.hpp"
#include "core/device/cuda/toolkit.hpp"

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

Nvrtc open_nvrtc() {
  Nvrtc nvrtc;
  std::optional<SharedLibrary> library;
  for (const std::string& name : library_candidates({"libnvrtc.so.13", "libnvrtc.so.12"})) {
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
  // NVRTC opens this library by its plain name, which the loader resolves if it is already open.
  // With CUDA_HOME its folder need not be in the loader's search path.
  SharedLibrary::try_open(
      (nvrtc.path.parent_path() / fmt::format("libnvrtc-builtins.so.{}", nvrtc.version)).string(),
      SharedLibrary::Lifetime::kProcess);
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

void check_nvrtc(nvrtcResult result, std::string_view what) {
  if (result == NVRTC_SUCCESS) return;
  throw RunError(fmt::format("{} failed: {}", what, nvrtc().nvrtcGetErrorString_(result)));
}

/// Folder of the toolkit's headers, for sources that include them; nothing if there is none.
std::optional<std::filesystem::path> toolkit_include() {
  std::vector<std::filesystem::path> candidates;
  for (const std::filesystem::path& folder : toolkit_folders())
    candidates.push_back(folder / "include");
  candidates.push_back(nvrtc().path.parent_path() / "../include");
  candidates.push_back(nvrtc().path.parent_path() / "../targets/x86_64-linux/include");
  std::error_code ignored;
  for (const auto& folder : candidates)
    if (std::filesystem::exists(folder / "cuda_fp16.h", ignored)) return folder.lexically_normal();
  return std::nullopt;
}

class Program {
 public:
  explicit Program(const KernelSource& source) {
    const std::string text = text_with_prelude(source, split_options(source.options));
    const std::vector<PreludeFile> prelude = cuda_prelude().files_for(source);
    std::vector<const char*> texts;
    std::vector<const char*> names;
    for (const PreludeFile& file : prelude) {
      texts.push_back(file.text.c_str());
      names.push_back(file.name.c_str());
    }
    check_nvrtc(
        nvrtc().nvrtcCreateProgram_(&program_, text.c_str(), (source.name + ".cu").c_str(),
                                    static_cast<int>(prelude.size()), texts.data(), names.data()),
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
    check_nvrtc(nvrtc().nvrtcGetProgramLogSize_(program_, &size), "nvrtcGetProgramLogSize");
    std::string text(size, '\0');
    check_nvrtc(nvrtc().nvrtcGetProgramLog_(program_, text.data()), "nvrtcGetProgramLog");
    while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
    return text;
  }

 private:
  nvrtcProgram program_ = nullptr;
};

/// True if the text uses no name that NVRTC's -minimal omits.
bool may_be_minimal(std::string_view text) {
  constexpr std::array<std::string_view, 5> kWords{"cuda", "tex", "surf", "<<<", "#include <"};
  return std::none_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

class NvrtcCompiler final : public Compiler {
 public:
  NvrtcCompiler(std::string_view target, bool has_lines) : target_(target), has_lines_(has_lines) {}

  std::string_view target() const override { return target_; }

  std::string identity() const override {
    return fmt::format("nvrtc {} prelude {}{}", nvrtc().version, cuda_prelude().hash(),
                       has_lines_ ? " lines" : "");
  }

  Image compile(const KernelSource& given) override {
    KernelSource source = given;
    if (has_lines_) source.options.emplace_back("-lineinfo");
    // A fatbin already has code for this target; the driver selects it when loading.
    if (!source.prebuilt.empty()) return {target_, std::string(source.prebuilt), {}};
    Image image = source.backend == CompilerBackend::kNvcc ? compile_with_nvcc(source, target_)
                                                           : compile_with_nvrtc(source);
    if (is_relocatable(source))
      image.bytes = link_device_code(image.bytes, target_, source.name, nvrtc().path.string());
    return image;
  }

 private:
  static bool is_relocatable(const KernelSource& source) {
    return asks_for_relocatable_code(source.options) ||
           (source.backend != CompilerBackend::kNvcc && launches_kernels(source.text));
  }

  std::vector<std::string> options_for(const KernelSource& source) const {
    std::vector<std::string> options{fmt::format("-arch={}", target_)};
    std::ranges::move(split_options(source.options).others, std::back_inserter(options));
    if (is_relocatable(source) && !asks_for_relocatable_code(source.options))
      options.emplace_back("-rdc=true");
    if (!names_standard(source.options)) options.emplace_back("--std=c++20");
    // Look up the toolkit's folder only for a source with includes, its own or those of headers for
    // names that it uses.
    const auto includes = [](const PreludeFile& file) {
      return file.text.find("#include <") != std::string::npos;
    };
    if (source.text.find("#include <") != std::string::npos ||
        std::ranges::any_of(cuda_prelude().files_for(source), includes)) {
      if (const auto folder = toolkit_include()) {
        options.push_back("-I" + folder->string());
        options.push_back("-I" + (*folder / "cccl").string());
      }
    }
    return options;
  }

  Image compile_with_nvrtc(const KernelSource& source) const {
    // Without name expressions a kernel's symbol is its name.
    const std::vector<std::string> expressions =
        source.has_plain_names ? std::vector<std::string>{} : source.entries;
    std::optional<Program> program;
    const auto run = [&](const std::vector<std::string>& options) {
      program.emplace(source);
      for (const std::string& entry : expressions)
        check_nvrtc(nvrtc().nvrtcAddNameExpression_(program->get(), entry.c_str()),
                    fmt::format("asking for kernel '{}'", entry));
      std::vector<const char*> pointers;
      for (const std::string& option : options) pointers.push_back(option.c_str());
      return nvrtc().nvrtcCompileProgram_(program->get(), static_cast<int>(pointers.size()),
                                          pointers.data());
    };
    std::vector<std::string> options = options_for(source);
    // Without textures and the runtime's declarations a small kernel compiles a sixth faster. If
    // that fails, compile again without -minimal, so that error messages do not depend on it.
    nvrtcResult result = NVRTC_ERROR_COMPILATION;
    if (may_be_minimal(source.text)) {
      std::vector<std::string> fewer = options;
      fewer.emplace_back("-minimal");
      result = run(fewer);
    }
    if (result != NVRTC_SUCCESS) result = run(options);
    if (result != NVRTC_SUCCESS) {
      const std::string log = program->log();
      throw CompileError(fmt::format("cannot compile '{}' for {} ({}):\n{}", source.name, target_,
                                     nvrtc().nvrtcGetErrorString_(result), log),
                         log, source.text);
    }
    Image image{target_, {}, {}};
    std::size_t size = 0;
    check_nvrtc(nvrtc().nvrtcGetCUBINSize_(program->get(), &size), "nvrtcGetCUBINSize");
    image.bytes.resize(size);
    check_nvrtc(nvrtc().nvrtcGetCUBIN_(program->get(), image.bytes.data()), "nvrtcGetCUBIN");
    for (const std::string& entry : expressions) {
      const char* symbol = nullptr;
      check_nvrtc(nvrtc().nvrtcGetLoweredName_(program->get(), entry.c_str(), &symbol),
                  fmt::format("looking up kernel '{}'", entry));
      image.symbols[entry] = symbol;
    }
    return image;
  }

  std::string target_;
  bool has_lines_;
};

}  // namespace

std::unique_ptr<Compiler> make_nvrtc_compiler(std::string_view target) {
  nvrtc();
  return std::make_unique<NvrtcCompiler>(target, false);
}

std::unique_ptr<Compiler> make_compiler_with_lines(std::string_view target) {
  nvrtc();
  return std::make_unique<NvrtcCompiler>(target, true);
}

std::string nvrtc_description() {
  const Nvrtc& state = nvrtc_state();
  if (!state.reason.empty()) return state.reason;
  return fmt::format("{} from {}", state.version, state.path.string());
}

}  // namespace kernelbatch::cuda

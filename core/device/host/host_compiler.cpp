#include "core/device/host/host_compiler.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/long_text.hpp"
#include "core/base/process.hpp"
#include "core/base/scratch_folder.hpp"
#include "core/base/text.hpp"
#include "core/device/compile_options.hpp"
#include "core/device/host/checks/code_places.hpp"
#include "core/device/host/host_prelude.hpp"
#include "core/device/host/not_on_host.hpp"
#include "core/device/host/ptx/ptx_module.hpp"
#include "core/device/host/ptx/ptx_module_text.hpp"
#include "core/device/host/text/kernel_text.hpp"
#include "prelude_embedded.hpp"

namespace kernelbatch::host {
namespace {
namespace fs = std::filesystem;

/// -Bsymbolic: a kernel named `step` or `index` must not be resolved to the C library's function of
/// that name.
constexpr std::array kFlags{"-std=c++20",         "-O3",   "-march=native", "-fno-math-errno",
                            "-fno-trapping-math", "-w",    "-shared",       "-fPIC",
                            "-nostdlib",          "-pipe", "-Wl,-Bsymbolic"};

/// For code that reports its actions (host_checks.hpp); replaces -O3. Reports every access, every
/// index outside a declared size, and every misaligned address. Prelude functions are inlined, so
/// that places are the user's.
constexpr std::array kCheckFlags{"-O2",
                                 "-g",
                                 "-fsanitize=thread,bounds,alignment",
                                 "-fno-tree-vectorize",
                                 "-fno-tree-loop-distribute-patterns",
                                 "-fno-crossjumping",
                                 "-fno-tree-tail-merge",
                                 "-include",
                                 "kernelbatch/host_checks.hpp",
                                 "-include",
                                 "kernelbatch/kernel_text.hpp"};

/// Lines of a PTX module that takes seconds to compile; it is optimized less.
constexpr std::ptrdiff_t kLongModule = 2000;

/// More flags, from the environment.
std::vector<std::string> own_flags() {
  std::vector<std::string> flags =
      split(environment("KERNELBATCH_HOST_CXXFLAGS").value_or(""), ' ');
  std::erase(flags, "");
  return flags;
}

/// NVRTC's options as the host compiler takes them; options of GPU code generation are dropped.
std::vector<std::string> host_options(const std::vector<std::string>& options) {
  std::vector<std::string> own;
  for (const std::string& option : options) {
    const bool is_long = option.starts_with("--");
    const std::string_view plain = std::string_view(option).substr(is_long ? 1 : 0);
    if (plain.starts_with("-std="))
      // The prelude needs C++17.
      own.emplace_back(reads_prelude(std::vector{option}) ? plain : "-std=c++17");
    else if (plain == "-fmad=false")
      own.emplace_back("-ffp-contract=off");
    else if (option.starts_with("-D") || option.starts_with("-U") || option.starts_with("-I"))
      own.push_back(option);
  }
  return own;
}

std::optional<fs::path> find_compiler() {
  if (const auto named = environment("CXX"))
    if (const auto path = find_program(*named)) return path;
  for (const char* name : {"g++", "clang++", "c++"})
    if (const auto path = find_program(name)) return path;
  return std::nullopt;
}

std::string host_source(const KernelSource& source) {
  std::string text = Prelude::with_prelude(source.name, split_options(source.options), source.text);
  text += "\n#line 1 \"kernelbatch-entries\"\n";
  for (std::size_t k = 0; k < source.entries.size(); ++k)
    text += fmt::format("KERNELBATCH_ENTRY({}, {})\n", k, source.entries[k]);
  return text;
}

/// The same kernels in a text for a C++ compiler; their names there may differ.
KernelSource in_host_text(const KernelSource& source) {
  KernelSource host = source;
  if (!is_ptx(source.text)) {
    host.text = host_text(source.text);
    return host;
  }
  PtxModuleText translated = ptx_module_text(source.text, source.name + ".ptx", source.entries);
  host.text = std::move(translated.text);
  host.entries = std::move(translated.entries);
  // Products and sums are joined in the PTX already.
  host.options = {"-fmad=false"};
  return host;
}

/// The kernel's text as a variable of its library, for messages about its lines.
std::string text_variable(std::string_view text) {
  std::string bytes;
  for (const char c : text) bytes += fmt::format("{},", static_cast<int>(c));
  return fmt::format("extern \"C\" __attribute__((__used__)) const char {}[] = {{{}0}};\n",
                     kTextSymbol, bytes);
}

/// With KERNELBATCH_KERNEL_TEXTS=FOLDER a debugger finds the text that the user wrote there.
void keep_text(const std::string& name, std::string_view written,
               std::vector<std::string>& command) {
  const auto folder = environment("KERNELBATCH_KERNEL_TEXTS");
  if (!folder) return;
  std::ofstream(fs::path(*folder) / (name + ".cu")) << written;
  // Relative names, as in #line, are relative to the folder in which the compiler was started.
  command.push_back(fmt::format("-fdebug-prefix-map={}={}", fs::current_path().string(), *folder));
}

class HostCompiler final : public Compiler {
 public:
  explicit HostCompiler(bool tells_accesses)
      : tells_accesses_(tells_accesses), compiler_(find_compiler()), target_(host_target()) {}

  std::string_view target() const override { return target_; }

  std::string identity() const override {
    // Size and time of the compiler's file: asking it for its version would cost a process.
    std::string text = "no compiler";
    if (compiler_) {
      struct stat status {};
      ::stat(compiler_->c_str(), &status);
      text = fmt::format("{} {} {}", fs::canonical(*compiler_).string(), status.st_size,
                         status.st_mtim.tv_sec);
    }
    if (tells_accesses_)
      text += fmt::format(" {} {}", fmt::join(kCheckFlags, " "), hash_hex(prelude::host_checks));
    return fmt::format("{} {} {} prelude {} translators {}", text, fmt::join(kFlags, " "),
                       fmt::join(own_flags(), " "), host_prelude().hash(), KERNELBATCH_TRANSLATORS);
  }

  Image compile(const KernelSource& source) override {
    if (source.text.empty() && !source.prebuilt.empty())
      throw UnsupportedError(fmt::format("needs cuda: '{}' is code for a GPU", source.name));
    if (!compiler_)
      throw MissingToolError(
          "no C++ compiler on this machine (searched for $CXX, g++, clang++, c++) and no compiled "
          "kernel in the cache; run the job once on a machine that has one, with the same "
          "KERNELBATCH_CACHE_DIR");
    if (!source.entries.empty() || !is_ptx(source.text))
      return compile_text(in_host_text(source), source);
    KernelSource all = source;
    all.entries = ptx_entries(source.text);
    return compile_text(in_host_text(all), all);
  }

 private:
  /// `original` is the source as the user wrote it, for messages.
  Image compile_text(const KernelSource& source, const KernelSource& original) {
    const std::string& written = original.text;
    const ScratchFolder scratch;
    bool needs_concepts = false;
    for (const PreludeFile& file : host_prelude().files_for(source)) {
      scratch.write(file.name, file.text);
      needs_concepts = needs_concepts || file.text.find("requires") != std::string::npos;
    }
    const fs::path text = scratch.write(source.name + ".cpp", host_source(source));
    const fs::path library = scratch.path() / "kernel.so";

    std::vector<std::string> command{compiler_->string()};
    command.insert(command.end(), kFlags.begin(), kFlags.end());
    command.insert(command.end(), {"-I", scratch.path().string()});
    const bool is_clang = compiler_->filename().string().find("clang") != std::string::npos;
    if (!is_clang) command.emplace_back("-fno-gnu-unique");  // else dlclose would do nothing
    if (tells_accesses_) {
      command.insert(command.end(), kCheckFlags.begin(), kCheckFlags.end());
      if (is_clang) command.emplace_back("-mllvm");
      command.emplace_back(is_clang ? "-tsan-distinguish-volatile"
                                    : "--param=tsan-distinguish-volatile=1");
      scratch.write("kernelbatch/host_checks.hpp", prelude::host_checks);
      scratch.write("kernelbatch/kernel_text.hpp",
                    text_variable(is_ptx(written) ? fmt::format("#line 1 \"{}.ptx\"\n{}",
                                                                original.name, written)
                                                  : written));
    }
    for (const std::string& option : host_options(split_options(source.options).others))
      command.push_back(option);
    // Overrides the text's standard: some prelude headers need C++20.
    if (needs_concepts) command.emplace_back("-std=c++20");
    if (is_ptx(written) && tells_accesses_ && !is_clang)
      command.emplace_back("-gno-column-info");  // those of the translation
    // A loop without an end has none on a GPU either; C++ would allow to remove it.
    if (is_ptx(written)) command.emplace_back("-fno-finite-loops");
    if (is_ptx(written) && !tells_accesses_)
      command.emplace_back(std::ranges::count(written, '\n') < kLongModule ? "-O2" : "-O1");
    for (const std::string& flag : own_flags()) command.push_back(flag);
    keep_text(source.name, written, command);
    command.insert(command.end(), {"-o", library.string(), text.string()});
    const ProcessResult result = run_process(command);
    if (!result.succeeded()) {
      require_own_failure(result, *compiler_, scratch);
      // The scratch folder's name means nothing to the user.
      std::string log = head_and_tail(result.output);
      const std::string prefix = scratch.path().string() + "/";
      for (std::size_t at; (at = log.find(prefix)) != std::string::npos;)
        log.erase(at, prefix.size());
      if (const auto lack = lack_of_host(log, host_prelude().header_names()))
        throw UnsupportedError(*lack);
      throw CompileError(fmt::format("cannot compile '{}' for the host ({}):\n{}", source.name,
                                     compiler_->filename().string(), trim(log)),
                         log, written);
    }
    Image image{target_, read_file(library), {}};
    for (std::size_t k = 0; k < source.entries.size(); ++k)
      image.symbols[original.entries[k]] = fmt::format("kernelbatch_entry_{}", k);
    return image;
  }

  bool tells_accesses_;
  std::optional<fs::path> compiler_;
  std::string target_;
};

}  // namespace

namespace {

std::string read_target() {
#if defined(__x86_64__)
  constexpr std::string_view kArchitecture = "x86-64";
#elif defined(__aarch64__)
  constexpr std::string_view kArchitecture = "aarch64";
#else
  constexpr std::string_view kArchitecture = "unknown";
#endif
  std::string features;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name") || line.starts_with("flags") ||
        line.starts_with("Features") || line.starts_with("CPU part")) {
      features += line;
      if (features.size() > line.size()) break;
    }
  return fmt::format("host-{}-{}", kArchitecture, hash_hex(features).substr(0, 8));
}

}  // namespace

std::string host_target() {
  static const std::string target = read_target();
  return target;
}

std::unique_ptr<Compiler> make_host_compiler(bool tells_accesses) {
  return std::make_unique<HostCompiler>(tells_accesses);
}

}  // namespace kernelbatch::host

#include "core/device/cuda/compile/nvcc_compiler.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/long_text.hpp"
#include "core/base/process.hpp"
#include "core/base/scratch_folder.hpp"
#include "core/base/text.hpp"
#include "core/device/compile_options.hpp"
#include "core/device/cuda/cuda_prelude.hpp"
#include "core/device/cuda/toolkit.hpp"

namespace kernelbatch::cuda {

Image compile_with_nvcc(const KernelSource& source, std::string_view target) {
  const auto nvcc = find_nvcc();
  if (!nvcc)
    throw MissingToolError(
        fmt::format("cannot compile '{}' with backend nvcc: nvcc not found (searched $NVCC, "
                    "$CUDA_HOME/bin, $CUDA_PATH/bin, PATH, /usr/local/cuda/bin); load a CUDA "
                    "module, or use backend nvrtc",
                    source.name));
  const ScratchFolder scratch;
  const SplitOptions own = split_options(source.options);
  for (const PreludeFile& file : cuda_prelude().files_for(source))
    scratch.write(file.name, file.text);
  const std::filesystem::path text =
      scratch.write(source.name + ".cu", text_with_prelude(source, own));
  const std::filesystem::path cubin = scratch.path() / "kernel.cubin";
  std::vector<std::string> command{nvcc->string(), "-cubin", fmt::format("-arch={}", target)};
  if (!names_standard(source.options)) command.emplace_back("-std=c++20");
  for (const std::string& option : own.others)
    // With -cubin, -dc would be a second kind of output.
    command.push_back(option == "-dc" || option == "--device-c" ? "-rdc=true" : option);
  command.insert(command.end(),
                 {"-I" + scratch.path().string(), "-o", cubin.string(), text.string()});
  require_no_substitution(command);
  const ProcessResult result = run_process(command);
  if (!result.succeeded()) {
    require_own_failure(result, *nvcc, scratch);
    // The scratch folder's name means nothing to the user.
    std::string log = head_and_tail(result.output);
    const std::string prefix = scratch.path().string() + "/";
    for (std::size_t at; (at = log.find(prefix)) != std::string::npos;)
      log.erase(at, prefix.size());
    throw CompileError(
        fmt::format("cannot compile '{}' for {} (nvcc):\n{}", source.name, target, trim(log)), log,
        source.text);
  }
  return {std::string(target), read_file(cubin), {}};
}

}  // namespace kernelbatch::cuda

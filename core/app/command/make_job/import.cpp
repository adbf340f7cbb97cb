// kernelbatch import: kernels that a Python file defines with CuPy, or that Triton compiled, as an
// inline job.
#include <fmt/format.h>
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>
#include <memory>

#include "core/app/command.hpp"
#include "core/app/import_triton.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/process.hpp"

namespace kernelbatch::app {
namespace {

namespace fs = std::filesystem;

struct ImportOptions {
  std::string file, output, kernel, triton;
};

/// Folder of the Python program: installed, or in the source tree of the build.
fs::path program_folder() {
  const fs::path root = executable_path().parent_path().parent_path();
  const fs::path installed = root / "share" / "kernelbatch" / "import";
  const fs::path in_tree = root / "core" / "app" / "import";
  for (const fs::path& folder : {installed, in_tree})
    if (fs::exists(folder / "__main__.py")) return folder;
  throw SpecError(fmt::format("the program of 'import' is missing: {}", installed.string()));
}

int import_triton(const ImportOptions& options) {
  const std::string job = triton_job(options.triton, options.kernel);
  if (options.output.empty())
    fmt::print("{}", job);
  else
    write_file_atomically(options.output, job);
  return 0;
}

int import_kernels(const ImportOptions& options) {
  if (options.file.empty() == options.triton.empty())
    throw SpecError("import needs a Python file, or --triton with a folder");
  if (!options.triton.empty()) return import_triton(options);
  const fs::path folder = program_folder();
  const auto python = find_program("python3");
  if (!python)
    throw SpecError(
        fmt::format("import needs python3 (3.9 or newer) in PATH, which runs {}. Elsewhere: "
                    "python3 {} {}",
                    folder.string(), folder.string(), options.file));
  std::vector<std::string> words{python->string(), "-I", "-B", folder.string(), options.file};
  if (!options.output.empty()) words.insert(words.end(), {"--output", options.output});
  if (!options.kernel.empty()) words.insert(words.end(), {"--kernel", options.kernel});
  words.insert(words.end(), {"--kernelbatch", executable_path().string()});
  const pid_t child = spawn(words, {.default_signals = true});
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  throw SpecError(fmt::format("{}: {}", python->string(), describe_wait_status(status)));
}

}  // namespace

Command import_command() {
  auto options = std::make_shared<ImportOptions>();
  Command command{.name = "import",
                  .summary =
                      "Turn kernels that a Python file defines with CuPy, or that Triton "
                      "compiled, into an inline job"};
  command.add(
      {{.names = {"FILE"}, .help = "Python source", .target = &options->file, .type = kAnyFile},
       {.names = {"--triton"},
        .help = "Cache folder of Triton, with a kernel's .json, .ptx and .cubin files",
        .target = &options->triton,
        .type = kFolder},
       {.names = {"-o", "--output"},
        .help = "Job file to write; default: standard output",
        .target = &options->output,
        .type = kAnyFile},
       {.names = {"--kernel"},
        .help = "Only the kernel of this name",
        .target = &options->kernel}});
  command.examples = {{"kernelbatch import jobs/cupy_kernels.py -o cupy_kernels.yaml", ""}};
  command.action = [options] { return import_kernels(*options); };
  return command;
}

}  // namespace kernelbatch::app

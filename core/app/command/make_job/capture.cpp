// kernelbatch capture: a kernel out of a running program, as an inline job.
#include "core/device/capture.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <memory>
#include <regex>

#include "core/app/capture/job.hpp"
#include "core/app/capture/record.hpp"
#include "core/app/command.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/process.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"

namespace kernelbatch::app {
namespace {

namespace fs = std::filesystem;

struct CaptureOptions {
  std::string kernel, output, limit = "4GiB";
  std::size_t nth = 1, count = 1;
  bool is_deep = false, is_distinct = false, has_range = false, has_graphs = false,
       has_separate_arrays = false;
  std::vector<std::string> dtypes, program;
};

void require_expression(const std::string& kernel) {
  try {
    std::regex{kernel};
  } catch (const std::regex_error& error) {
    throw SpecError(
        fmt::format("--kernel '{}' is no regular expression: {}", kernel, error.what()));
  }
}

/// OUT.yaml, OUT-2.yaml, …
fs::path job_file(const fs::path& output, std::size_t number) {
  if (number == 0) return output;
  fs::path file = output;
  return file.replace_filename(
      fmt::format("{}-{}{}", output.stem().string(), number + 1, output.extension().string()));
}

void print_seen(const std::vector<SeenKernelRecord>& seen, const CaptureOptions& options) {
  if (seen.empty()) {
    fmt::print(stderr, "kernelbatch: the program launched no kernel through the CUDA driver\n");
    return;
  }
  const std::regex expression(options.kernel);
  std::uint64_t matching = 0;
  for (const SeenKernelRecord& kernel : seen)
    if (std::regex_search(kernel.name, expression)) matching += kernel.launches;
  if (matching > 0 && matching < options.nth) {
    fmt::print(stderr, "kernelbatch: --nth is {}, and only {} {}\n", options.nth, matching,
               matching == 1 ? "launch matches" : "launches match");
    return;
  }
  fmt::print(stderr, "kernelbatch: no launch matches{}{}; the program launched:\n",
             options.kernel.empty() ? "" : fmt::format(" --kernel '{}'", options.kernel),
             options.has_range ? " between cudaProfilerStart and cudaProfilerStop" : "");
  constexpr std::size_t kMost = 40, kWidth = 100;
  for (std::size_t k = 0; k < std::min(seen.size(), kMost); ++k)
    fmt::print(stderr, "{:>8}  {}{}\n", seen[k].launches + seen[k].in_graphs,
               visible_line(seen[k].name.substr(0, kWidth)),
               seen[k].in_graphs == 0 ? "" : "  (in CUDA graphs: --graphs)");
  if (seen.size() > kMost) fmt::print(stderr, "          and {} more\n", seen.size() - kMost);
}

/// Runs the program with this command's input and output. Returns its exit code.
int run_program(const CaptureOptions& options, const fs::path& records) {
  Variables variables =
      capture_variables({.folder = records,
                         .kernel = options.kernel,
                         .nth = options.nth,
                         .count = options.count,
                         .limit = static_cast<std::uint64_t>(parse_bytes(options.limit)),
                         .is_distinct = options.is_distinct,
                         .has_range = options.has_range,
                         .has_graphs = options.has_graphs,
                         .is_deep = options.is_deep});
  if (options.has_separate_arrays)
    variables.insert(variables.end(), {{"XLA_PYTHON_CLIENT_ALLOCATOR", "platform"},
                                       {"XLA_PYTHON_CLIENT_PREALLOCATE", "false"}});
  // PyTorch's graphs need its own allocator.
  if (options.has_separate_arrays && !options.has_graphs)
    variables.emplace_back("PYTORCH_NO_CUDA_MEMORY_CACHING", "1");
  // Ctrl-C ends the program; the command still writes what was captured.
  std::signal(SIGINT, SIG_IGN);
  const pid_t child =
      spawn(options.program, {.environment = std::move(variables), .default_signals = true});
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  fmt::print(stderr, "kernelbatch: {}: {}\n", options.program.front(),
             describe_wait_status(status));
  return 128 + WTERMSIG(status);
}

/// Why a record cannot become a job; empty if it can.
std::string reason_no_job(const LaunchRecord& record) {
  if (!record.reason.empty()) return record.reason;
  if (record.image.empty()) return "its image was not seen when it was loaded";
  if (record.code_use.has_textures)
    return "it uses textures or surfaces, whose contents cannot be read from its arguments";
  if (record.memory.empty()) return "no parameter points to device memory";
  return "";
}

int capture(const CaptureOptions& options) {
  require_expression(options.kernel);
  const CapturedForms forms = read_forms(options.dtypes);
  const fs::path output = fs::absolute(options.output);
  if (output.extension() != ".yaml" && output.extension() != ".yml")
    throw SpecError(fmt::format("-o {}: a job's name ends with .yaml", options.output));
  // Next to the job: the files are renamed, not copied.
  const fs::path records = temporary_name(output);
  make_writable_folder(records);
  fs::permissions(records, fs::perms::owner_all);
  const int code = run_program(options, records);
  std::size_t jobs = 0, failures = 0;
  for (const LaunchRecord& record : read_launches(records)) {
    if (const std::string reason = reason_no_job(record); !reason.empty()) {
      fmt::print(stderr, "kernelbatch: no job of '{}': {}\n", visible_line(record.name), reason);
      ++failures;
      continue;
    }
    const fs::path file = job_file(output, jobs++);
    write_captured_job(record,
                       {.file = file, .program = join(options.program, " "), .forms = forms});
    fmt::print(stderr, "kernelbatch: {}: {}\n", file.string(), visible_line(record.name));
  }
  if (jobs == 0 && failures == 0) print_seen(read_seen(records), options);
  std::error_code ignored;
  fs::remove_all(records, ignored);
  return code != 0 || jobs > 0 ? code : static_cast<int>(ExitCode::kBadSpec);
}

}  // namespace

Command capture_command() {
  auto options = std::make_shared<CaptureOptions>();
  Command command{.name = "capture",
                  .summary = "Take a kernel out of a running program, with its data, as a job"};
  command.add(
      {{.names = {"PROGRAM"},
        .help = "The program and its arguments, after --",
        .target = &options->program,
        .is_required = true},
       {.names = {"--kernel"},
        .help = "Regular expression that the kernel's name contains; default: any kernel",
        .target = &options->kernel,
        .type = "REGEX"},
       {.names = {"--nth"},
        .help = "Number of the captured launch among those that match",
        .target = &options->nth,
        .is_positive = true},
       {.names = {"--count"},
        .help = "Number of launches to capture, each as its own job",
        .target = &options->count,
        .is_positive = true},
       {.names = {"--distinct"},
        .help = "With --count: capture a kernel only once for each grid and block",
        .target = &options->is_distinct},
       {.names = {"--profiler-range"},
        .help = "Count launches only between cudaProfilerStart and cudaProfilerStop",
        .target = &options->has_range},
       {.names = {"-o", "--output"},
        .help = "Job file to write; its data is in a folder next to it",
        .target = &options->output,
        .type = kAnyFile,
        .is_required = true},
       {.names = {"--limit"},
        .help = "Maximum memory of one launch",
        .target = &options->limit,
        .type = "SIZE",
        .default_text = options->limit},
       {.names = {"--deep"}, .help = "Follow pointers in memory, too", .target = &options->is_deep},
       {.names = {"--graphs"},
        .help = "Capture kernels in CUDA graphs, too: adds copies to the program's graphs",
        .target = &options->has_graphs},
       {.names = {"--separate-arrays"},
        .help =
            "Let PyTorch (without --graphs) and JAX allocate each array separately: slower, but "
            "arrays in the job have their exact size",
        .target = &options->has_separate_arrays},
       {.names = {"--dtype"},
        .help =
            "Type of the elements: of all arrays, or p0=float32, or p0=float32[512,781] with the "
            "shape; default: as the kernel's PTX loads and stores them, else uint8",
        .target = &options->dtypes,
        .type = "DTYPE",
        .takes_one_word = true}});
  command.examples = {
      {"kernelbatch capture --kernel softmax --nth 3 -o softmax.yaml -- python3 train.py", ""}};
  command.action = [options] { return capture(*options); };
  return command;
}

}  // namespace kernelbatch::app

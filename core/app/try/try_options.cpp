#include "core/app/try/try_options.hpp"

#include <cstdlib>
#include <functional>

#include "core/base/sandbox/sandbox.hpp"

namespace kernelbatch::app {
namespace {

std::vector<Option> array_options(TryOptions& request) {
  return {{.names = {"--in"},
           .help = "Input arrays, by the names of their parameters: x.npy, or x=file.npy",
           .target = &request.inputs,
           .takes_one_word = true},
          {.names = {"--out"},
           .help = "Outputs: y, with the first input's shape, or y=1000, y=10x20, y=n",
           .target = &request.outputs,
           .takes_one_word = true},
          {.names = {"--want"},
           .help = "Expected outputs: y.npy, or y=file.npy; only one set of inputs is then checked",
           .target = &request.want,
           .takes_one_word = true},
          {.names = {"--want-from", "--reference"},
           .help = "Reference: a kernel file, or a .cpp with the statements that compute the "
                   "outputs",
           .target = &request.reference,
           .type = kAnyFile},
          {.names = {"--draws"},
           .help = "Sets of inputs; those after the first are permutations of its elements",
           .target = &request.draws,
           .default_text = "3",
           .is_positive = true},
          {.names = {"-p", "--param"},
           .help = "Further sizes: `n=1,31,1000` are extents of the inputs' first axis",
           .target = &request.sizes,
           .takes_one_word = true},
          {.names = {"--ragged"},
           .help = "Further sizes 1, 31, 32, 33 and 1000",
           .target = &request.is_ragged},
          {.names = {"--set"},
           .help = "Numbers: n=1000; n, size, count, len, length, num are the first input's size",
           .target = &request.values,
           .takes_one_word = true}};
}

}  // namespace

std::vector<Option> try_options(TryOptions& request) {
  std::vector<Option> options = array_options(request);
  const std::vector<Option> launch{
      {.names = {"--entry"},
       .help = "Name of the kernel, if a file has several",
       .target = &request.entries,
       .takes_one_word = true},
      {.names = {"--grid"},
       .help = "Blocks: `ceil(x.size / 256)`, `64,64`; default: a thread for each element of the "
               "first output",
       .target = &request.grid},
      {.names = {"--block"},
       .help = "Threads per block: 256, `16,16`",
       .target = &request.block,
       .default_text = request.block},
      {.names = {"--rtol"}, .help = "Relative tolerance", .target = &request.rtol},
      {.names = {"--atol"}, .help = "Absolute tolerance", .target = &request.atol},
      {.names = {"--sanitize"},
       .help = "First run each kernel under access checks on the host device",
       .target = &request.sanitizes},
      {.names = {"--timeout"},
       .help = "Time limit in seconds of one kernel, including its compilation",
       .target = &request.timeout,
       .default_text = "10",
       .is_positive = true},
      {.names = {"--no-sandbox"},
       .help = "Trust the kernels: on the host they may call any function",
       .target = std::function<void()>([] { ::setenv(kNoSandboxVariable, "1", 1); })},
      {.names = {"--device"},
       .help = "auto, cuda, cuda:N or host",
       .target = &request.device,
       .type = kDevice,
       .default_text = request.device,
       .environment = "KERNELBATCH_DEVICE"}};
  options.insert(options.end(), launch.begin(), launch.end());
  return options;
}

}  // namespace kernelbatch::app

// Creates a job from one or two kernel files: `kernelbatch try`.
#pragma once

#include <string>
#include <vector>

namespace kernelbatch::app {

struct TryOptions {
  std::vector<std::string> files;    ///< one or two .cu
  std::vector<std::string> inputs;   ///< "x.npy" or "x=file.npy"
  std::vector<std::string> outputs;  ///< "y", "y=1000", "y=10x20"
  std::vector<std::string> want;     ///< expected outputs: "y.npy" or "y=file.npy"
  std::vector<std::string> values;   ///< "n=1000"
  std::vector<std::string> entries;  ///< kernels, one for each file with several
  std::string grid, block = "256", rtol, atol, device = "auto";
  bool prints_json = false;
};

/// The job of `try`: names of the variants, and the job as YAML.
struct TryJob {
  std::vector<std::string> variants;
  std::string yaml;
};

/// Arguments of a kernel are matched by the names of its parameters: inputs, outputs, values; `n`,
/// `size`, `count`, `len`, `length` and `num` default to the first input's number of elements. An
/// output has the type of its pointer; its shape defaults to the first input's. The default grid
/// has a thread for each element of the first output. Throws SpecError that names the file and what
/// is missing.
TryJob make_try_job(const TryOptions& options, const std::string& results);

}  // namespace kernelbatch::app

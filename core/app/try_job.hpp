// A job made of one or two kernel files: `kernelbatch try`.
#pragma once

#include <string>
#include <vector>

namespace kernelbatch::app {

struct TryOptions {
  std::vector<std::string> files;    ///< one or two .cu
  std::vector<std::string> inputs;   ///< "x.npy" or "x=file.npy"
  std::vector<std::string> outputs;  ///< "y", "y=1000", "y=10x20"
  std::vector<std::string> want;     ///< right outputs: "y.npy" or "y=file.npy"
  std::vector<std::string> values;   ///< "n=1000"
  std::vector<std::string> entries;  ///< kernels, one for each file that has several
  std::string grid, block = "256", rtol, atol, device = "auto";
  bool prints_json = false;
};

/// What is tried: names of the variants, and the job as YAML.
struct TryJob {
  std::vector<std::string> variants;
  std::string yaml;
};

/// Arguments of a kernel are found by the names of its parameters: inputs, outputs, values; `n`,
/// `size`, `count`, `len`, `length` and `num` are the first input's number of elements where no
/// value says otherwise. An output has the type of its pointer and the first input's shape where
/// none is given. Without a grid there is a thread for each element of the first output. Throws
/// SpecError that names the file and what is missing.
TryJob make_try_job(const TryOptions& options, const std::string& results);

}  // namespace kernelbatch::app

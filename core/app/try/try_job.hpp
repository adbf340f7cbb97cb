// Creates a job from kernel files, for `kernelbatch try` and `serve`.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace kernelbatch::app {

/// How a file's kernel is launched.
struct TryLaunch {
  std::vector<std::string> entries;  ///< kernels, one for each file with several
  std::string grid, block = "256";
};

struct TryOptions : TryLaunch {
  std::vector<std::string> files;    ///< .cu to be judged
  std::vector<std::string> inputs;   ///< "x.npy" or "x=file.npy"
  std::vector<std::string> outputs;  ///< "y", "y=1000", "y=10x20", "y=n"
  std::vector<std::string> want;     ///< expected outputs: "y.npy" or "y=file.npy"
  /// A .cu, or a .cpp with the statements of a reference; if there is neither this nor `want`, the
  /// first of several files is the reference.
  std::string reference;
  std::vector<std::string> values;            ///< "n=1000"
  std::vector<std::string> sizes;             ///< "n=1,31,1000": extents of the inputs' first axis
  std::map<std::string, TryLaunch> launches;  ///< of files with others, by their paths
  std::string rtol, atol, device = "auto";
  int draws = 3;        ///< sets of inputs, including the given one
  double timeout = 10;  ///< s, of one kernel, including its compilation
  bool is_ragged = false;
  bool sanitizes = false;
  bool is_timed = true;
};

/// The job of one or two files: names of the variants, and the job as YAML.
struct TryJob {
  std::vector<std::string> variants;
  std::string yaml;
};

/// The launch of one of the files, or of the reference.
const TryLaunch& launch_of(const TryOptions& options, const std::string& file);

/// Arguments of a kernel are matched by the names of its parameters: inputs, outputs, values; `n`,
/// `size`, `count`, `len`, `length` and `num` default to the first input's number of elements. An
/// output has the type of its pointer; its shape defaults to the first input's. The default grid
/// has a thread for each element of the first output; a grid may use these numbers. Throws
/// SpecError that names the file and what is missing.
TryJob make_try_job(const TryOptions& options);

}  // namespace kernelbatch::app

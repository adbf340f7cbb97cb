// Options for kernel sources and messages, shared by `run` and `compile`.
#pragma once

#include <string>
#include <vector>

#include "core/app/options.hpp"
#include "core/base/process.hpp"

namespace kernelbatch::app {

struct KernelOptions {
  std::string keep_source;  ///< folder for every generated source; empty = none
  bool is_verbose = false;  ///< shows the source of kernels that do not compile
};

/// --keep-source and --verbose.
std::vector<Option> kernel_options(KernelOptions& options);

/// Their environment variables, which the kernels of workers read.
Variables variables_of(const KernelOptions& options);

/// The same options for another process.
std::vector<std::string> flags_of(const KernelOptions& options);

}  // namespace kernelbatch::app

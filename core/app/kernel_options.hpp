// Options that say what is told of kernels, shared by `run` and `compile`.
#pragma once

namespace CLI {
class App;
}

namespace kernelbatch::app {

/// Adds --keep-source and --verbose. Their environment twins are what kernels and workers look at.
void add_kernel_options(CLI::App& command);

}  // namespace kernelbatch::app

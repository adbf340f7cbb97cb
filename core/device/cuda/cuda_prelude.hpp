// The headers that kernels include on a GPU.
#pragma once

#include "core/device/prelude.hpp"

namespace kernelbatch::cuda {

const Prelude& cuda_prelude();

/// The source's text after the prelude; without the prelude if the standard is older than the
/// prelude's.
std::string text_with_prelude(const KernelSource& source, const SplitOptions& options);

}  // namespace kernelbatch::cuda

// Variances of kept rows: what a thread has in registers is read twice for nothing.
#pragma once

#include <memory>

#include "core/kernel/fuse/typing.hpp"

namespace kernelbatch {

/// The graph with each variance as the mean of squared distances from the mean, and each standard
/// deviation as its root, as NumPy computes them; null where there is none.
std::unique_ptr<const Graph> expand_variances(const TypedGraph& typed);

}  // namespace kernelbatch

// Variances of kept rows: data in registers can be read twice at no cost.
#pragma once

#include <memory>

#include "core/kernel/fuse/typing.hpp"

namespace kernelbatch {

/// The graph with each variance as the mean of squared distances from the mean, and each standard
/// deviation as its root, as NumPy computes them; null if there is none.
std::unique_ptr<const Graph> expand_variances(const TypedGraph& typed);

}  // namespace kernelbatch

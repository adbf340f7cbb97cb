// Roles of a loop's arguments over staged arrays.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/kernel/launch/chunk_pipeline.hpp"
#include "core/kernel/text/parameter.hpp"

namespace kernelbatch {

/// How an argument of a loop over `shape` is cut along `axis`. Throws OutOfMemoryError if a raw
/// array is staged.
ChunkRole role_of(const std::string& kernel, const Parameter& parameter, const Argument& argument,
                  const Shape& shape, int axis);

/// The arrays as vectors, an empty one for each scalar; no elements at all if one of them is
/// broadcast, raw or not in C order.
std::vector<Array> flattened(const Shape& shape, const std::vector<Parameter>& in,
                             const std::vector<Parameter>& out,
                             std::span<const Argument> arguments);

}  // namespace kernelbatch

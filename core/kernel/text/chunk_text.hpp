// What streamed kernels share: the texts of a kernel that works on a chunk as if it were the whole.
#pragma once

#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/launch/argument.hpp"
#include "core/kernel/launch/chunk_pipeline.hpp"
#include "core/kernel/text/parameter.hpp"

namespace kernelbatch {

/// Answers `_ind.size()` and its like.
inline constexpr std::string_view kStreamedPreamble =
    "struct kernelbatch_size { long long count; KERNELBATCH_INLINE long long size() const "
    "{ return count; } };\n";

/// Identifiers of the text replaced, but for those that are parameters.
std::string replace_names(const std::string& text, std::map<std::string, std::string> names,
                          const std::vector<Parameter>& in, const std::vector<Parameter>& out);

/// Whether macros of the preamble may hide one of the names from replace_names().
bool hides_names(const std::string& preamble, std::initializer_list<const char*> names);

/// The list as text again, `more` after it.
std::string parameter_text(const std::vector<Parameter>& list, const std::string& more);

/// How an argument of a loop over `shape` is cut along `axis`. Throws OutOfMemoryError where a raw
/// array stays in host memory.
ChunkRole role_of(const std::string& kernel, const Parameter& parameter, const Argument& argument,
                  const Shape& shape, int axis);

/// The arrays as vectors, an empty one for each scalar; none at all where one of them is broadcast,
/// raw or not in C order.
std::vector<Array> flattened(const Shape& shape, const std::vector<Parameter>& in,
                             const std::vector<Parameter>& out,
                             std::span<const Argument> arguments);

}  // namespace kernelbatch

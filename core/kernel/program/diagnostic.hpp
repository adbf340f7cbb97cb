// Compiler messages, mapped to the user's own text.
#pragma once

#include <string>

#include "core/base/error.hpp"
#include "core/device/device.hpp"

namespace kernelbatch {

/// A compiler's log in a common form for all compilers:
///
///     operation:1:5: error: identifier "what" is undefined
///       y = what
///           ^
///
/// Files and lines are those of the source's `#line`s, columns count from 1; the line's text is
/// taken from the source. Warnings about generated text, which the user cannot change, are omitted,
/// and so is the name of the function around an error. Lines of other forms are unchanged.
std::string readable_log(const std::string& log, const KernelSource& source);

/// The same error with a readable log, also in its message. If KERNELBATCH_DUMP_SOURCE is set to
/// anything except 0, both end with the numbered source.
CompileError explained(const CompileError& error, const KernelSource& source);

/// Lines with their numbers, "  7 | text".
std::string numbered(std::string_view text);

}  // namespace kernelbatch

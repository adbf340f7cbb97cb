// References of inline kernels.
#pragma once

#include <string>

#include "core/base/value.hpp"
#include "core/inline/definition.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch {

/// The variant against which outputs are verified; empty for `reference: none`. Throws SpecError
/// with the place for a variant that does not exist.
std::string inline_reference(const InlineSpec& spec);

/// The reference with its values and files loaded. Throws SpecError with a place.
InlineReference read_reference(const InlineSpec& spec, const NamedValues& facts,
                               const std::string& job_folder);

}  // namespace kernelbatch

// What outputs of inline kernels are compared with.
#pragma once

#include <string>

#include "core/base/value.hpp"
#include "core/inline/definition.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch {

/// The variant that outputs are verified against; empty for `reference: none`. Throws SpecError
/// with the place for a variant that is not there.
std::string inline_reference(const InlineSpec& spec);

/// The reference with its values and files read. Throws SpecError with a place.
InlineReference read_reference(const InlineSpec& spec, const NamedValues& facts,
                               const std::string& job_folder);

}  // namespace kernelbatch

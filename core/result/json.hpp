// Records as JSON text: what a shard holds, and what a worker sends to its supervisor.
//
// Lossless, with these conventions: keys are the columns' names, a NaN is left out, infinities are
// the texts "inf" and "-inf" (inside params and environments {"real": "inf"}), bytes that are not
// UTF-8 become U+FFFD, NUL becomes U+2400.
#pragma once

#include <string>
#include <string_view>

#include "core/result/record.hpp"

namespace kernelbatch {

/// Are the samples, which may be many, part of it?
enum class Samples : bool { kOmit, kInclude };

std::string to_json(const ResultRecord& record, Samples samples = Samples::kInclude);
std::string to_json(const CaseRecord& record, Samples samples = Samples::kInclude);
std::string to_json(const NamedValues& values);

/// The inverse. Unknown keys are passed over, so that older readers understand newer records of the
/// same schema. Throws StoreError that says what is wrong in the text.
ResultRecord result_from_json(std::string_view text);
CaseRecord case_from_json(std::string_view text);
NamedValues values_from_json(std::string_view text);

}  // namespace kernelbatch

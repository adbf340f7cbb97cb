// Records as JSON text, used in shards and for messages from workers to the supervisor.
//
// Lossless, with these conventions: keys are the columns' names, NaN is omitted, infinities are the
// texts "inf" and "-inf" (inside params and environments {"real": "inf"}), bytes that are not UTF-8
// become U+FFFD, NUL becomes U+2400.
#pragma once

#include <string>
#include <string_view>

#include "core/result/record.hpp"

namespace kernelbatch {

/// Whether to include the samples, which may be many.
enum class Samples : bool { kOmit, kInclude };

std::string to_json(const ResultRecord& record, Samples samples = Samples::kInclude);
std::string to_json(const CaseRecord& record, Samples samples = Samples::kInclude);
std::string to_json(const NamedValues& values);

/// The inverse. Unknown keys are ignored, so that older readers can read newer records of the same
/// schema. Throws StoreError with the problem in the text.
ResultRecord result_from_json(std::string_view text);
CaseRecord case_from_json(std::string_view text);
NamedValues values_from_json(std::string_view text);

}  // namespace kernelbatch

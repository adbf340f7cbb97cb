// Finds CUDA features that the host device lacks, from a compiler's log.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kernelbatch::host {

/// A sentence that names what the host device lacks, if the log reports a missing header or name of
/// CUDA. `headers` are the available ones, for the sentence.
std::optional<std::string> lack_of_host(std::string_view log,
                                        std::span<const std::string_view> headers);

}  // namespace kernelbatch::host

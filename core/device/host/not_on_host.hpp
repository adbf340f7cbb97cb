// What CUDA has and the host device does not, found in a compiler's log.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kernelbatch::host {

/// A sentence that names what the host device lacks, if the log complains of one of CUDA's headers
/// or names that are not there. `headers` are those that are, for the sentence.
std::optional<std::string> lack_of_host(std::string_view log,
                                        std::span<const std::string_view> headers);

}  // namespace kernelbatch::host

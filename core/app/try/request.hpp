// A request of `kernelbatch serve`: one line of JSON.
#pragma once

#include <string>
#include <string_view>

#include "core/app/try/try_job.hpp"
#include "core/base/scratch_folder.hpp"
#include "core/report/judged_json.hpp"

namespace kernelbatch::app {

struct JudgeRequest {
  JudgedJson id = {};         ///< as sent; null without one
  TryOptions options = {};    ///< of the server, with the changes of the request
  bool is_temporary = false;  ///< the file was written for it
  std::string error = {};     ///< why it cannot be judged; empty: none
};

/// Longer lines are refused.
inline constexpr std::size_t kLongestLine = std::size_t{16} << 20;

/// Reads {id, source or file or image, inputs, outputs, want, reference, values, sizes, entry,
/// grid, block, rtol, atol, draws, timeout, sanitize}; every key but the kernel's text may also be
/// an option of the server. Lists may be objects by name. A text is written to `folder` as
/// `candidate_NUMBER.cu`, an image as `candidate_NUMBER.ptx`. Never throws for an invalid request.
JudgeRequest read_request(std::string_view line, const TryOptions& defaults,
                          const ScratchFolder& folder, std::size_t number);

}  // namespace kernelbatch::app

// Maps compiler messages to lines of the job.
#pragma once

#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch {

/// Place of a compiled text in a job.
struct TextPlace {
  std::string file;   ///< name in compiler messages: "operation", "name.cu"
  SourcePlace begin;  ///< of its first line
};

/// The texts of a variant.
std::vector<TextPlace> texts_of(const InlineVariant& variant);

/// The same error, with "job.yaml:27: error: …" for "name.cu:3:21: error: …". Columns are removed,
/// since they differ in the job.
CompileError in_job_lines(const CompileError& error, const std::vector<TextPlace>& texts);

/// The text, with "job.yaml:27" for each place "name.cu:3:21" in these texts.
std::string with_job_places(const std::string& text, const std::vector<TextPlace>& texts);

/// Throws SpecError with the entry's place if the text has kernels but none of that name, unless
/// templates, macros or included files may define more.
void require_kernel(const std::string& source, std::string_view entry, const SourcePlace& place);

}  // namespace kernelbatch

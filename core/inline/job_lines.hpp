// Compilers' messages in lines of the job.
#pragma once

#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch {

/// Where a text that is compiled stands in a job.
struct TextPlace {
  std::string file;   ///< as compilers name it: "operation", "name.cu"
  SourcePlace begin;  ///< of its first line
};

/// The texts of a variant.
std::vector<TextPlace> texts_of(const InlineVariant& variant);

/// The same error, with "job.yaml:27: error: …" for "name.cu:3:21: error: …". Columns are left out:
/// those of a job are others.
CompileError in_job_lines(const CompileError& error, const std::vector<TextPlace>& texts);

/// Throws SpecError with the place of `entry` where the text has kernels and none of that name;
/// not where templates, macros or included files may make more.
void require_kernel(const std::string& source, const YamlNode& entry);

}  // namespace kernelbatch

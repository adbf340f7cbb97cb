// Expected outputs from a file given in a job: `verify: {reference: {file: …, dataset: …}}`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/array/array.hpp"
#include "core/job/spec.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// Throws SpecError with the place if the file does not exist.
void require_reference_file(const ReferenceFile& reference, const std::string& job_folder);

/// The file's array, as the output named like the dataset (else the file); for a workload with one
/// output it is that output, whatever its name. Throws SpecError with the place for a file that
/// cannot be read, an array of another shape, or an ambiguous output.
std::map<std::string, Array> read_reference_file(const ReferenceFile& reference,
                                                 const std::vector<OutputArray>& outputs,
                                                 const std::string& job_folder);

}  // namespace kernelbatch

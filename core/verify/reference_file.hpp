// Expected outputs from a file that a job names: `verify: {reference: {file: …, dataset: …}}`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/array/array.hpp"
#include "core/job/spec.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// Throws SpecError with the place where the file is not there.
void require_reference_file(const ReferenceFile& reference, const std::string& job_folder);

/// The array in it, as the output that the dataset (else the file) is named after; of a workload
/// with one output it is that one, whatever its name. Throws SpecError with the place for a file
/// that cannot be read, an array of another shape, or one that could be any of several outputs.
std::map<std::string, Array> read_reference_file(const ReferenceFile& reference,
                                                 const std::vector<OutputArray>& outputs,
                                                 const std::string& job_folder);

}  // namespace kernelbatch

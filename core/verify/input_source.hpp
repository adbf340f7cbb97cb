// Creates the inputs described in a job as arrays.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/array/number.hpp"
#include "core/array/random.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch {

/// One input: an array and the contiguous memory that it views, or one number.
struct MadeInput {
  std::string name;
  Array array = {}, base = {};
  std::optional<Number> scalar = {};
  std::optional<DType> dtype = {};
  /// Extents of a sparse matrix, with its first part.
  std::optional<std::pair<std::int64_t, std::int64_t>> sparse_shape = {};
};

/// Creates all inputs of a case. Numbers and extents may be expressions of `params`. Relative files
/// are searched in `job_folder`, then in the current folder, then next to kernelbatch's data. A
/// sparse Matrix Market file `A` yields `A.indptr`, `A.indices` and `A.data`. If `random` is null,
/// only dtypes and shapes are valid: the memory must not be touched (files other than .npy are read
/// nevertheless). Throws SpecError with a place.
std::vector<MadeInput> make_inputs(const std::vector<InputSpec>& specs, const NamedValues& params,
                                   const std::string& job_folder, RandomSource* random);

/// The file of an input `{file: …}`, without the array name after a colon. Throws SpecError with
/// its place if it is not found.
std::filesystem::path find_input_file(const InputSpec& spec, const std::string& job_folder);

/// Folders that may contain kernelbatch's `data/…`, in search order.
std::vector<std::string> data_folders();

}  // namespace kernelbatch

// Creates the inputs described in a job as arrays.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/array/number.hpp"
#include "core/job/spec.hpp"
#include "core/workload/workload.hpp"

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

/// How completely inputs are created. kForms: only dtypes and shapes are valid, the memory must not
/// be touched (files other than .npy are read nevertheless).
enum class MakeInputs : std::uint8_t { kWhole, kForms };

/// Creates all inputs of a case. Numbers and extents may be expressions of `params`. Relative files
/// are searched in `job_folder`, then in the current folder, then next to kernelbatch's data. A
/// sparse Matrix Market file `A` yields `A.indptr`, `A.indices` and `A.data`. Throws SpecError with
/// a place.
std::vector<MadeInput> make_inputs(const std::vector<InputSpec>& specs, const NamedValues& params,
                                   const std::string& job_folder, MakeInputs how);

/// The inputs of one case of a plugin. Arrays are created when the workload takes them, and are
/// contiguous whatever view the job requests.
class JobInputs final : public Inputs {
 public:
  JobInputs(std::vector<InputSpec> specs, NamedValues params, std::string job_folder);

  Array take(std::string_view name, const std::function<Array()>& make) override;
  CsrMatrix take_sparse(std::string_view name, const std::function<CsrMatrix()>& make) override;
  std::string data_file(std::string_view name) const override;

  /// Hash of the contents of all taken inputs, with names; files by their own contents.
  std::string content_hash() const;

  /// All taken inputs, in order, with names.
  const std::vector<std::pair<std::string, Array>>& taken() const noexcept { return handed_out_; }

  /// Throws SpecError naming an input of the job that the workload did not take.
  void require_all_taken() const;

 private:
  Array find_or_make(std::string_view name, const std::function<Array()>& make);
  CsrMatrix find_or_make_sparse(std::string_view name, const std::function<CsrMatrix()>& make);

  std::vector<InputSpec> specs_;
  std::vector<bool> taken_;
  std::vector<MadeInput> made_;
  NamedValues params_;
  std::string job_folder_;
  /// Inputs handed out, for content_hash().
  std::vector<std::pair<std::string, Array>> handed_out_;
  mutable std::vector<std::filesystem::path> files_;
};

/// The file of an input `{file: …}`, without the array name after a colon. Throws SpecError with
/// its place if it is not found.
std::filesystem::path find_input_file(const InputSpec& spec, const std::string& job_folder);

/// Folders that may contain kernelbatch's `data/…`, in search order.
std::vector<std::string> data_folders();

}  // namespace kernelbatch

// Inputs as a job describes them, made into arrays.
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

/// One input made: an array and the contiguous memory that it shows, or one number.
struct MadeInput {
  std::string name;
  Array array = {}, base = {};
  std::optional<Number> scalar = {};
  std::optional<DType> dtype = {};
  /// Of a sparse matrix, with its first part: extents.
  std::optional<std::pair<std::int64_t, std::int64_t>> sparse_shape = {};
};

/// How far inputs are made. kForms: dtypes and shapes are right, the memory must not be touched
/// (files other than .npy are read all the same).
enum class MakeInputs : std::uint8_t { kWhole, kForms };

/// Makes all inputs of a case. Numbers and extents may be expressions of `params`. Relative files
/// are looked up in `job_folder`, then in the current folder, then beside the data that came with
/// kernelbatch. A sparse Matrix Market file `A` gives `A.indptr`, `A.indices` and `A.data`. Throws
/// SpecError with a place.
std::vector<MadeInput> make_inputs(const std::vector<InputSpec>& specs, const NamedValues& params,
                                   const std::string& job_folder, MakeInputs how);

/// The inputs of one case of a plugin. Arrays are made when the workload takes them, contiguous
/// whatever view the job asks for.
class JobInputs final : public Inputs {
 public:
  JobInputs(std::vector<InputSpec> specs, NamedValues params, std::string job_folder);

  Array take(std::string_view name, const std::function<Array()>& make) override;
  CsrMatrix take_sparse(std::string_view name, const std::function<CsrMatrix()>& make) override;
  std::string data_file(std::string_view name) const override;

  /// Hash of the contents of all that was taken, with names; files by their own contents.
  std::string content_hash() const;

  /// All that was taken, in order, with names.
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
  /// What was handed out, for content_hash().
  std::vector<std::pair<std::string, Array>> handed_out_;
  mutable std::vector<std::filesystem::path> files_;
};

/// The file of an input `{file: …}`, without the array in it that a colon names. Throws SpecError
/// with its place where it is nowhere.
std::filesystem::path find_input_file(const InputSpec& spec, const std::string& job_folder);

/// Folders in which `data/…` of kernelbatch may lie, in order.
std::vector<std::string> data_folders();

}  // namespace kernelbatch

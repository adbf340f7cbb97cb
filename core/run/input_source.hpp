// Inputs as a job describes them, made into arrays.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/job/spec.hpp"
#include "core/plugin/workload.hpp"

namespace kernelbatch {

/// The inputs of one case. Arrays are made when the workload takes them.
class JobInputs final : public Inputs {
 public:
  /// Relative files are looked up in `job_folder`, then in the current folder, then beside the data
  /// that came with kernelbatch.
  JobInputs(std::vector<InputSpec> specs, std::string job_folder);

  Array take(std::string_view name, const std::function<Array()>& make) override;
  std::string data_file(std::string_view name) const override;

  /// Throws SpecError naming an input of the job that the workload did not take.
  void require_all_taken() const;

 private:
  std::vector<InputSpec> specs_;
  std::vector<bool> taken_;
  std::string job_folder_;
};

/// The file of an input `{file: …}`. Throws SpecError with its place where it is nowhere.
std::filesystem::path find_input_file(const InputSpec& spec, const std::string& job_folder);

/// Finds out without making it whether an input can be made: its file, source, dtype and shape.
/// Throws SpecError with its place.
void check_input(const InputSpec& spec, const std::string& job_folder);

/// Folders in which `data/…` of kernelbatch may lie, in order.
std::vector<std::string> data_folders();

}  // namespace kernelbatch

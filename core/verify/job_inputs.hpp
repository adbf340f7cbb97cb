// The inputs that a job gives to a plugin's workload.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/verify/input_source.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// The inputs of one case of a plugin. Arrays are created when the workload takes them, and are
/// contiguous whatever view the job requests.
class JobInputs final : public Inputs {
 public:
  /// `shift`: of the random source.
  JobInputs(std::vector<InputSpec> specs, NamedValues params, std::string job_folder,
            std::uint64_t shift = 0);

  Array take(std::string_view name, const std::function<Array()>& make) override;
  CsrMatrix take_sparse(std::string_view name, const std::function<CsrMatrix()>& make) override;
  std::string data_file(std::string_view name) const override;
  RandomSource& random() override { return random_; }

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
  RandomSource random_;
  /// Inputs handed out, for content_hash().
  std::vector<std::pair<std::string, Array>> handed_out_;
  mutable std::vector<std::filesystem::path> files_;
};

}  // namespace kernelbatch

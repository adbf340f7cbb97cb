// Where a run's results go: looked at before anything runs, left tidy however it ends.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/job/spec.hpp"
#include "core/run/plan.hpp"

namespace kernelbatch {

/// The result file and the folder of this process's shards, for the time of one run. Files that
/// workers spilled for these cases and nobody stored are removed at both ends of it.
class OutputPlace {
 public:
  /// Throws StoreError where nothing can be written, SpecError where `file` is no result file or
  /// holds another job: after the run that would be too late.
  OutputPlace(std::filesystem::path file, std::filesystem::path folder, const JobSpec& job,
              const std::vector<const PlannedCase*>& cases);
  OutputPlace(const OutputPlace&) = delete;
  OutputPlace& operator=(const OutputPlace&) = delete;
  ~OutputPlace();

  const std::filesystem::path& file() const noexcept { return file_; }

 private:
  void remove_spilled() const noexcept;

  std::filesystem::path file_, folder_;
  std::set<std::string> case_ids_;
};

}  // namespace kernelbatch

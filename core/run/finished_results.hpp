// What earlier runs of a job left on disk: a resumed run does only the rest.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/store/record.hpp"

namespace kernelbatch {

class FinishedResults {
 public:
  /// Knows of nothing.
  FinishedResults() = default;
  /// All results under `output_file`, merged or not; none where there is no such file. Throws
  /// StoreError or SpecError where what is there cannot be read.
  explicit FinishedResults(const std::filesystem::path& output_file);

  /// The results of a case, samples left out.
  const std::vector<ResultRecord>& of(const std::string& case_id) const;

 private:
  std::map<std::string, std::vector<ResultRecord>> by_case_;
};

/// Whether a resumed run leaves this result as it is: all but crashes that were not yet tried
/// `retries` times more.
bool is_final(const ResultRecord& record, int retries) noexcept;

}  // namespace kernelbatch

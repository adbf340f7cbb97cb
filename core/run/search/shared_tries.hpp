// SharedTries: shares results between tasks of an array that run one search.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>

#include "core/base/claims.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

class SharedTries {
 public:
  /// `folder`: all tasks' shards. `is_fresh`: existing shards are from an earlier run and are
  /// ignored.
  SharedTries(std::filesystem::path folder, bool is_fresh, Claims& claims);

  /// Visits results that any task has stored since the last call. Unreadable ones are skipped.
  void read(const std::function<void(const ResultRecord&)>& visit);

  /// Claims a case; false if another task has it.
  bool claim(const std::string& case_id, const std::string& variant) const;
  /// Ends the claim: its result is stored, or there is none.
  void release(const std::string& case_id, const std::string& variant) const;

 private:
  std::filesystem::path folder_;
  std::set<std::filesystem::path> seen_;
  Claims* claims_;
};

}  // namespace kernelbatch

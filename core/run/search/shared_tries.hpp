// SharedTries: shares results between tasks of an array that run one search.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "core/base/file_lock.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

class SharedTries {
 public:
  /// `folder`: all tasks' shards. `is_fresh`: existing shards are from an earlier run and are
  /// ignored.
  SharedTries(std::filesystem::path folder, bool is_fresh);

  /// Visits results that any task has stored since the last call. Unreadable ones are skipped.
  void read(const std::function<void(const ResultRecord&)>& visit);

  /// Claims a case; null if another task has it. If the file system has no locks, two tasks may try
  /// the same case.
  std::unique_ptr<FileLock> claim(const std::string& case_id, const std::string& variant) const;

 private:
  std::filesystem::path folder_;
  std::set<std::filesystem::path> seen_;
};

}  // namespace kernelbatch

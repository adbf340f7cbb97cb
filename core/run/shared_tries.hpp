// SharedTries: tasks of an array that search together see one another's results.
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
  /// `folder`: of all tasks' shards. `is_fresh`: what is there now is an earlier run's, to be done
  /// anew.
  SharedTries(std::filesystem::path folder, bool is_fresh);

  /// Visits what this task and others have stored since the last time. What cannot be read is left
  /// out.
  void read(const std::function<void(const ResultRecord&)>& visit);

  /// The right to try a case now; null where another task has it. Where the file system has no
  /// locks two tasks may try the same.
  std::unique_ptr<FileLock> claim(const std::string& case_id, const std::string& variant) const;

 private:
  std::filesystem::path folder_;
  std::set<std::filesystem::path> seen_;
};

}  // namespace kernelbatch

// A worker under compute-sanitizer, and what the tool found.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/check_kind.hpp"
#include "core/base/process.hpp"
#include "core/base/scratch_folder.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// compute-sanitizer: in PATH, else in a toolkit's bin folder. Throws EnvironmentError.
std::filesystem::path find_compute_sanitizer();

/// One run of one tool. Its files go with it.
class ToolRun {
 public:
  ToolRun(std::filesystem::path program, CheckKind kind);

  /// What the worker's command begins with, and its variables.
  std::vector<std::string> prefix() const;
  Variables environment() const;
  /// After the worker has ended. `why_not`: why the tool has said nothing; empty where it has.
  std::vector<FindingRecord> findings(std::string& why_not) const;

 private:
  std::filesystem::path program_;
  CheckKind kind_;
  ScratchFolder folder_;
};

}  // namespace kernelbatch

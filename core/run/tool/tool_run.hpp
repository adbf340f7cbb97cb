// A worker under compute-sanitizer, and the tool's findings.
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

/// One run of one tool. Its files are deleted with it.
class ToolRun {
 public:
  ToolRun(std::filesystem::path program, CheckKind kind);

  /// Prefix of the worker's command, and its variables.
  std::vector<std::string> prefix() const;
  Variables environment() const;
  /// Call after the worker has ended. `why_not`: why the tool reported nothing; empty if it did.
  std::vector<FindingRecord> findings(std::string& why_not) const;

 private:
  std::filesystem::path program_;
  CheckKind kind_;
  ScratchFolder folder_;
};

}  // namespace kernelbatch

// CaseLoader: what a worker needs to run a requested case, from a plugin or from the job itself.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/plugin/loader.hpp"
#include "core/plugin/workload.hpp"
#include "core/run/case_request.hpp"

namespace kernelbatch {

/// Loads each plugin once. Inline cases have a description of their own each.
class CaseLoader {
 public:
  /// The plugin at a path. Throws SpecError.
  const Workload& workload(const std::string& path);

  /// What the case's workload declares; valid until the next call.
  const WorkloadInfo& info(const CaseRequest& request);

  /// Makes the case's inputs and problem. `require_memory` is called with the bytes that the
  /// workload says it needs at least, before anything is made. Throws SpecError.
  std::unique_ptr<Problem> problem(const CaseRequest& request,
                                   const std::function<void(double)>& require_memory);

 private:
  std::map<std::string, Plugin> plugins_;
  WorkloadInfo inline_info_;
};

}  // namespace kernelbatch

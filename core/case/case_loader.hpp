// CaseLoader: loads what a worker needs for a requested case, from a plugin or from the job itself.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/case/prepared_memory.hpp"
#include "core/case/requested_case.hpp"
#include "core/verify/job_inputs.hpp"
#include "core/workload/loader.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// A case's problem, and the key of its reference's outputs: empty if unknown or not needed.
struct LoadedProblem {
  std::unique_ptr<Problem> problem;
  std::string reference_key;
  double device_bytes = 0;  ///< minimum that the case needs; 0 = unknown
  NamedArrays inputs = {};  ///< host arrays, with names
  /// Memory of arrays whose elements are independent random numbers, so that any order is equally
  /// valid.
  std::vector<const std::byte*> drawn = {};
  /// Memory of the problem's arrays, including its inputs.
  std::vector<HostArrayLog::Memory> memory = {};
};

/// Loads each plugin once. Every inline case has its own description.
class CaseLoader {
 public:
  /// The plugin at a path. Throws SpecError.
  const Workload& workload(const std::string& path);

  /// Declaration of the case's workload; valid until the next call.
  const WorkloadInfo& info(const RequestedCase& wanted);

  /// Creates the case's inputs and problem. Before that, `require_memory` is called with the
  /// minimum number of bytes according to the workload. If `shift` is not 0, random inputs have
  /// other values (RandomSource). Throws SpecError.
  LoadedProblem problem(const RequestedCase& wanted,
                        const std::function<void(double)>& require_memory, std::uint64_t shift = 0);

 private:
  std::string reference_key(const RequestedCase& wanted, const JobInputs& inputs);
  static std::string inline_reference_key(const RequestedCase& wanted, const NamedArrays& inputs);

  std::map<std::string, Plugin> plugins_;
  std::map<std::string, std::string> plugin_hashes_;
  WorkloadInfo inline_info_;
};

/// Loads a case's problem if there is memory for it: throws OutOfMemoryError for the device's,
/// OutOfHostMemoryError for the host's, SpecError.
LoadedProblem load_problem(CaseLoader& loader, const RequestedCase& wanted,
                           const WorkloadInfo& info, const Device& device);

}  // namespace kernelbatch

// CaseLoader: what a worker needs to run a requested case, from a plugin or from the job itself.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/case/prepared_memory.hpp"
#include "core/case/requested_case.hpp"
#include "core/verify/input_source.hpp"
#include "core/workload/loader.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// A case's problem, and what identifies the outputs of its reference: empty where that cannot be
/// told, or nobody wants to know.
struct LoadedProblem {
  std::unique_ptr<Problem> problem;
  std::string reference_key;
  double device_bytes = 0;  ///< that the case needs at least; 0 = unknown
  NamedArrays inputs = {};  ///< host arrays, with names
  /// Memory of arrays whose elements are drawn one by one, in any order as good as in this one.
  std::vector<const std::byte*> drawn = {};
  /// Memory of the problem's arrays, its inputs among them.
  std::vector<HostArrayLog::Memory> memory = {};
};

/// Loads each plugin once. Inline cases have a description of their own each.
class CaseLoader {
 public:
  /// The plugin at a path. Throws SpecError.
  const Workload& workload(const std::string& path);

  /// What the case's workload declares; valid until the next call.
  const WorkloadInfo& info(const RequestedCase& wanted);

  /// Makes the case's inputs and problem. `require_memory` is called with the bytes that the
  /// workload says it needs at least, before anything is made. `shift` other than 0: random inputs
  /// have other values (SeedShift). Throws SpecError.
  LoadedProblem problem(const RequestedCase& wanted,
                        const std::function<void(double)>& require_memory, std::uint64_t shift = 0);

 private:
  std::string reference_key(const RequestedCase& wanted, const JobInputs& inputs);
  static std::string inline_reference_key(const RequestedCase& wanted, const NamedArrays& inputs);

  std::map<std::string, Plugin> plugins_;
  std::map<std::string, std::string> plugin_hashes_;
  WorkloadInfo inline_info_;
};

}  // namespace kernelbatch

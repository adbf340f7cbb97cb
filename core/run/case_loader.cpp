#include "core/run/case_loader.hpp"

#include "core/run/inline_case.hpp"
#include "core/run/input_source.hpp"

namespace kernelbatch {

const Workload& CaseLoader::workload(const std::string& path) {
  auto found = plugins_.find(path);
  if (found == plugins_.end()) found = plugins_.emplace(path, Plugin::load(path)).first;
  return found->second.workload();
}

const WorkloadInfo& CaseLoader::info(const CaseRequest& request) {
  if (!request.kernels) return workload(request.plugin).info();
  WorkloadSpec spec;
  spec.kernels = request.kernels;
  inline_info_ = inline_info(spec);
  return inline_info_;
}

std::unique_ptr<Problem> CaseLoader::problem(const CaseRequest& request,
                                             const std::function<void(double)>& require_memory) {
  if (request.kernels)
    return make_inline_problem(*request.kernels, request.inputs, request.params, request.job_folder,
                               MakeInputs::kWhole);
  const Workload& chosen = workload(request.plugin);
  const Params params(request.params);
  require_memory(chosen.device_bytes(params));
  JobInputs inputs(request.inputs, request.params, request.job_folder);
  std::unique_ptr<Problem> problem = chosen.make_problem(params, inputs);
  inputs.require_all_taken();
  return problem;
}

}  // namespace kernelbatch
